import { createHash } from "node:crypto";
import type { FileReference } from "../contract/file.ts";
import type { Store } from "../store/store.ts";
import { CallError } from "./calls/call-error.ts";
import type { World } from "./world.ts";

/** Where the bytes of files are kept, by their SHA-256 in hexadecimal. */
export type FileContent = {
  /** Durable when it settles. */
  write(digest: string, bytes: Uint8Array): Promise<void>;
  /** Null when they are not there. */
  read(digest: string): Promise<Uint8Array<ArrayBuffer> | null>;
  remove(digest: string): Promise<void>;
};

/** That of a runtime that has no folder. */
export const noContent: FileContent = {
  write: async () => Promise.reject(new Error("This daemon keeps no files")),
  read: async () => null,
  remove: async () => undefined,
};

export type NewFile = { name: string; mime: string; bytes: Uint8Array };
export type OpenFile = { reference: FileReference; bytes: Uint8Array<ArrayBuffer> };
type Place = { workspaceId: number; runId: string };

/** The files of all workspaces. */
export type Files = {
  /** Bytes that one file may have. */
  readonly maxBytes: number;
  /** Keeps a file for as long as a run refers to it. Throws a CallError when it is too large. */
  save(place: Place, file: NewFile): Promise<FileReference>;
  /** A file of the place's workspace, which its run uses from now on. Throws a CallError when there is none. */
  open(place: Place, fileId: string): Promise<OpenFile>;
  /** For people who look into a run; null when there is none. */
  find(workspaceId: number, fileId: string): Promise<OpenFile | null>;
  /** Deletes what no run uses any more. */
  sweep(): Promise<void>;
};

type Parts = {
  store: Pick<Store, "addFile" | "noteFileUse" | "findFile" | "deleteUnusedFiles">;
  content: FileContent;
  world: Pick<World, "now" | "newId">;
  maxBytes: number;
};

/** A file that was just made may not be noted with its run yet. */
const graceMs = 3_600_000;
const batch = 200;

export function createFiles({ store, content, world, maxBytes }: Parts): Files {
  // Bytes are not deleted while others that are the same are being kept.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(action: () => Promise<T>): Promise<T> => {
    const mine = turn.then(action, action);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const find = async (workspaceId: number, fileId: string): Promise<OpenFile | null> => {
    const record = await store.findFile(workspaceId, fileId);
    const bytes = record && (await content.read(record.digest));
    if (!record || !bytes) return null;
    const { id: file_id, name, size, mime } = record;
    return { reference: { file_id, name, size, mime }, bytes };
  };
  return {
    maxBytes,
    find,
    async save({ workspaceId, runId }, { name, mime, bytes }) {
      const size = bytes.byteLength;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      const digest = createHash("sha256").update(bytes).digest("hex");
      const id = world.newId();
      const createdAt = world.now().getTime();
      await inTurn(async () => {
        await content.write(digest, bytes);
        await store.addFile({ id, workspaceId, runId, digest, name, size, mime, createdAt });
      });
      return { file_id: id, name, size, mime };
    },
    async open({ workspaceId, runId }, fileId) {
      const found = await find(workspaceId, fileId);
      if (!found) throw missing(fileId);
      await store.noteFileUse({ fileId, runId });
      return found;
    },
    async sweep() {
      const before = world.now().getTime() - graceMs;
      for (let deleted = batch; deleted === batch;) {
        deleted = await inTurn(async () => {
          const removal = await store.deleteUnusedFiles({ before, limit: batch });
          for (const digest of removal.digests) await content.remove(digest);
          return removal.deleted;
        });
      }
    },
  };
}

function tooLarge(name: string, maxBytes: number): CallError {
  const message = `The file ${name.slice(0, 100)} is larger than files.maxBytes (${maxBytes} bytes) allows`;
  return new CallError({ code: "VALIDATION_ERROR", message, retryable: false });
}

function missing(fileId: string): CallError {
  const message = `There is no file ${fileId.slice(0, 100)}: files are deleted with the last run that refers to them`;
  return new CallError({ code: "VALIDATION_ERROR", message, retryable: false });
}

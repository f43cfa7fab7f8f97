/** A file of a workspace; its bytes lie beside the database under their digest (SHA-256, hexadecimal). */
export type FileRecord = {
  id: string;
  workspaceId: number;
  digest: string;
  name: string;
  /** In bytes. */
  size: number;
  mime: string;
  createdAt: number;
};

/** The part of the store's promise that is about files. */
export type FileStore = {
  /** Notes a file whose bytes are on disk, and that a run uses it. */
  addFile(file: FileRecord & { runId: string }): Promise<void>;
  /** Notes that a run uses a file that another one made, so that it outlives that one. */
  noteFileUse(use: { fileId: string; runId: string }): Promise<void>;
  findFile(workspaceId: number, fileId: string): Promise<FileRecord | null>;
  /** The files that a run uses, oldest first. */
  listRunFiles(runId: string): Promise<FileRecord[]>;
  /**
   * Forgets files that no run uses and that were made before a moment, at most so many; returns how many, and the digests
   * that no file has any more.
   */
  deleteUnusedFiles(expiry: { before: number; limit: number }): Promise<{ deleted: number; digests: string[] }>;
};

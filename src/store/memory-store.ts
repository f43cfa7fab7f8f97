import type { NewAuditEntry } from "./people-store.ts";

/** Where an original belongs: the run's input, its output and error together, or the event of this number. */
export type SealedPlace = "input" | "result" | number;

/** Originals of the payloads of one place, for the engine alone (contract 15). Payloads in records are redacted. */
export type SealedPayload = { place: SealedPlace; content: Uint8Array };

/** What to delete of runs that ended before a moment; `from` is where the batch before stopped, 0 at first. */
export type Expiry = { what: "sealed" | "journals" | "runs"; before: number; from: number; limit: number };

/** A run that somebody wants gone, in the workspace of the audit entry that tells of it. */
export type RunRemoval = { runId: string; audit: NewAuditEntry };
export type RunRemovalOutcome = "deleted" | "missing" | "active";

/** Rows deleted, and where the next batch goes on; null when there is nothing more to delete. */
export type ExpiryProgress = { deleted: number; next: number | null };

/** Originals beside what is stored redacted, and the end of what has had its time. */
export type MemoryStore = {
  /** What is sealed at one place of a run; null when nothing is. */
  findSealed(runId: string, place: SealedPlace): Promise<SealedPayload | null>;
  /** What is sealed of the events after `after` up to `upTo`, in their order. */
  listSealed(runId: string, after: number, upTo: number): Promise<SealedPayload[]>;
  /** Deletes a batch of what has had its time: about `limit` rows. Audit entries stay. */
  deleteExpired(expiry: Expiry): Promise<ExpiryProgress>;
  /** Deletes one run that is over, with its audit entry, in one go. */
  deleteRun(removal: RunRemoval): Promise<RunRemovalOutcome>;
  /** Gives up to so many free pages back to the file system; how many are left. */
  reclaimSpace(pages: number): Promise<number>;
};

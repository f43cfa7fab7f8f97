/**
 * The store refused a write for now: the disk is full, or another program holds the database. Nothing of it happened, and
 * the same write may succeed later.
 */
export class WriteRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WriteRefused";
  }
}

/** Pause in ms before what a refused write broke off is tried again. */
export const refusedPauseMs = 3_000;

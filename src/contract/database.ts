/** What the care of a database's file comes to (`stepgate db`). Sizes are in bytes. */

export type Backup = {
  file: string;
  bytes: number;
  schema: number;
  /** Contents of run files in it, and those that runs refer to and that were not found whole. */
  files: number;
  files_missing: number;
  master_key: string;
  key_file: string | null;
};

/** `kept`: where what was there before lies now. */
export type Restored = { file: string; schema: number; files: number; kept: string | null };

export type Migrated = { from: number; to: number; pending: { version: number; name: string }[]; applied: boolean };

export type Vacuumed = { file: string; bytes_before: number; bytes_after: number };

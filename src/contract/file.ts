import { z } from "zod";

/** A file as payloads carry it: its bytes lie elsewhere (contract 13). `size` is in bytes. */
export const fileReference = z.object({ file_id: z.uuid(), name: z.string(), size: z.int(), mime: z.string() });
export type FileReference = z.infer<typeof fileReference>;

export type FileList = { files: (FileReference & { created_at: string })[] };

/** A file with its bytes, for the command line. */
export type FileBody = FileReference & { base64: string };

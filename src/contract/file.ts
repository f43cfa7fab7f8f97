/** A file as payloads carry it: its bytes lie elsewhere (contract 13). `size` is in bytes. */
export type FileReference = { file_id: string; name: string; size: number; mime: string };

export type FileList = { files: (FileReference & { created_at: string })[] };

/** A file with its bytes, for the command line. */
export type FileBody = FileReference & { base64: string };

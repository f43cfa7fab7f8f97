import { resolve } from "node:path";
import type { PublishRequest, PublishResult } from "../../contract/control.ts";
import type { Client } from "../client.ts";
import type { WorkflowFile } from "../workflow-files.ts";

export type PublishRules = {
  check: boolean;
  slug: string | undefined;
  allowBreaking: boolean;
  asNew: boolean;
  renameFrom: string | undefined;
};

/** Publishes through the control channel. The daemon speaks of absolute paths, the user of those that were typed. */
export async function publishHere(
  client: Client,
  files: readonly WorkflowFile[],
  { check, slug, allowBreaking, asNew, renameFrom }: PublishRules,
): Promise<PublishResult> {
  const request: PublishRequest = {
    files: files.map(({ path, text }) => ({ file: path, text })),
    check,
    allow_breaking: allowBreaking,
    as_new: asNew,
    ...(slug === undefined ? {} : { slug }),
    ...(renameFrom === undefined ? {} : { rename_from: renameFrom }),
  };
  const answer = await client.post<PublishResult>("/control/publish", request);
  const names = new Map(files.map(({ path, shown }) => [path, shown]));
  return renameFiles(answer, (file) => names.get(resolve(file)) ?? file);
}

function renameFiles(result: PublishResult, nameOf: (file: string) => string): PublishResult {
  const rename = <Row extends { file: string }>(row: Row): Row => ({ ...row, file: nameOf(row.file) });
  return {
    published: result.published.map(rename),
    unchanged: result.unchanged.map(rename),
    failed: result.failed.map(rename),
  };
}

// Entry of the thread that builds connectors: reading ten megabytes and making schemas of them takes seconds.
import { parentPort } from "node:worker_threads";
import { buildManifest } from "../../connectors/build-manifest.ts";
import type { BuildIssue, BuildRequest } from "../../contract/manifest.ts";
import type { NewConnector } from "../../store/store.ts";

export type BuildJob = { request: BuildRequest; bytes: Uint8Array };

/** Everything that is large is text by now, which crosses threads cheaply. */
export type BuildResult = { slug: string | null; issues: BuildIssue[]; connector: NewConnector | null };

/** Issues that are told of one build. */
const maxIssues = 500;

parentPort?.on("message", (job: BuildJob) => {
  parentPort?.postMessage(build(job) satisfies BuildResult);
});

function build({ request, bytes }: BuildJob): BuildResult {
  const { slug, manifest, issues } = buildManifest(request, new TextDecoder().decode(bytes));
  const errorsFirst = issues.toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
  const told = errorsFirst.slice(0, maxIssues);
  if (!manifest) return { slug, issues: told, connector: null };
  const { operations, triggers, ...head } = manifest;
  const { name, version, description } = head;
  const parts: NewConnector["parts"] = [
    ...operations.map((operation) => ({
      kind: "action" as const,
      key: operation.key,
      name: operation.name,
      description: operation.description,
      document: JSON.stringify(operation),
    })),
    ...triggers.map((trigger) => ({
      kind: "trigger" as const,
      key: trigger.event,
      name: trigger.name,
      description: trigger.description,
      document: JSON.stringify(trigger),
    })),
  ];
  const connector = { slug: manifest.slug, name, version, description, head: JSON.stringify(head), parts };
  return { slug: manifest.slug, issues: told, connector };
}

import { buildManifest } from "../../connectors/build-manifest.ts";
import { connectors as bundled } from "../../connectors/index.ts";
import { errorAt } from "../../connectors/manifest/build-issue.ts";
import type { BuildIssue, BuildRequest } from "../../contract/manifest.ts";

/** What building a source would say, without a daemon: in this very thread. Never throws. */
export function checkSource(request: BuildRequest, bytes: Uint8Array): BuildIssue[] {
  const { slug, issues } = buildManifest(request, new TextDecoder().decode(bytes));
  if (slug === null || !bundled.some((connector) => connector.slug === slug)) return issues;
  const message = `${slug} is the slug of a bundled connector; choose another one`;
  return [...issues, errorAt("/slug", "slug_taken", message)];
}

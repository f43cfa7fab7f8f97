import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectorBuild } from "../../contract/connector-api.ts";
import { textCell } from "../cell.ts";
import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { readConnectorSource } from "../connector-source.ts";
import { argument, value } from "../option.ts";
import type { Output } from "../output.ts";
import { printBuildIssues } from "../print-build-issues.ts";
import { printSheet } from "../print.ts";

export const connectorsBuild = defineCommand({
  name: "build",
  summary: "build a connector of a manifest or an OpenAPI file, and wait until it is done",
  arguments: { file: argument("a manifest or an OpenAPI 3 description, YAML or JSON; - for stdin") },
  options: { slug: value("SLUG", "the connector's slug; default: the manifest's, or one made of the file's name") },
  examples: ["connectors build crm.yaml", "connectors build api.github.com.json --slug github"],
  async action({ control, output, terminal }, { file, slug }) {
    const { shown, request, bytes } = await readConnectorSource(file, slug, terminal.stdin);
    const client = await control();
    const query = new URLSearchParams();
    if (request.slug !== null) query.set("slug", request.slug);
    if (request.fallbackSlug !== null) query.set("fallback", request.fallbackSlug);
    const queued = await client.post<ConnectorBuild>(`/control/builds?${query.toString()}`, bytes);
    const build = await waitForBuild(client, output, queued);
    if (output.format === "table" || output.format === "tsv") printBuildIssues(output, shown, build);
    if (build.status === "failed") {
      if (output.format === "json" || output.format === "jsonl") output.document(build);
      const count = build.errors.length;
      throw new CliError("invalid", `The connector was not built: ${count} error${count === 1 ? "" : "s"}.`);
    }
    await printSheet(output, {
      json: build,
      id: build.connector_id,
      fields: [
        ["built", textCell(build.connector_id, "green")],
        ["operations", textCell(build.operations.filter(({ kind }) => kind === "action").length)],
        ["triggers", textCell(build.operations.filter(({ kind }) => kind === "trigger").length)],
        ["warnings", textCell(build.warnings.length)],
      ],
    });
  },
});

async function waitForBuild(client: Client, output: Output, queued: ConnectorBuild): Promise<ConnectorBuild> {
  let build = queued;
  let told = "";
  for (let tries = 0; build.completed_at === null; tries += 1) {
    if (told !== build.status) output.note(build.status === "queued" ? "Waiting for its turn…" : "Building…");
    told = build.status;
    await sleep(Math.min(50 + tries * 20, 500));
    build = await client.get<ConnectorBuild>(`/control/builds/${build.build_id}`);
  }
  return build;
}

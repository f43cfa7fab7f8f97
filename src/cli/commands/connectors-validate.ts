import type { ConnectorCheck } from "../../contract/connector-api.ts";
import type { BuildIssue } from "../../contract/manifest.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { readConnectorSource } from "../connector-source.ts";
import { argument, value } from "../option.ts";
import { printBuildIssues } from "../print-build-issues.ts";

export const connectorsValidate = defineCommand({
  name: "validate",
  summary: "check a manifest or an OpenAPI file without a daemon; nothing is stored",
  arguments: { file: argument("a manifest or an OpenAPI 3 description, YAML or JSON; - for stdin") },
  options: { slug: value("SLUG", "the connector's slug, as for build") },
  examples: ["connectors validate crm.yaml", "connectors validate crm.yaml --json"],
  async action({ wiring, output, terminal }, { file, slug }) {
    const { shown, request, bytes } = await readConnectorSource(file, slug, terminal.stdin);
    const issues = await wiring.checkConnector(request, bytes);
    const of = (wanted: BuildIssue["severity"]) =>
      issues.flatMap(({ severity, ...issue }) => (severity === wanted ? [issue] : []));
    const errors = of("error");
    const check: ConnectorCheck = { valid: errors.length === 0, errors, warnings: of("warning") };
    if (output.format === "json" || output.format === "jsonl") output.document(check);
    else printBuildIssues(output, shown, check);
    if (check.valid) return output.note(`${shown} is valid.`);
    throw new CliError("invalid", `${shown} has ${errors.length} error${errors.length === 1 ? "" : "s"}.`);
  },
});

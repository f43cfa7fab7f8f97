import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { keyProxy } from "../support/key-proxy.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { greet } from "../support/workflows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

type Check = { id: string; status: string; errorMessage?: string };

/** Runs all server scenarios of the official suite for a revision; the checks of each, by its name. */
async function runSuite(revision: string): Promise<Map<string, Check[]>> {
  const daemon = await liveDaemon();
  await daemon.publish(greet);
  const key = await daemon.mintKey();
  const run = await fetch(`${daemon.url}/api/v1/runtime/actions/greet/run`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: '{"input": {"name": "Ada"}}',
  });
  expect(run.status).toBe(202);
  const folder = temporaryFolder();
  const url = new URL("/mcp", await keyProxy(new URL(daemon.url), key)).href;
  const args = [suite, "server", "--suite", "all", "--spec-version", revision, "--url", url, "-o", folder];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
  await once(child, "exit");
  const files = globSync("*/checks.json", { cwd: folder });
  return new Map(
    files.map((file) => {
      const name = /^server-(?<scenario>.+)-\d{4}-\d\d-\d\dT/.exec(basename(dirname(file)))?.groups?.["scenario"];
      return [name ?? file, JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[]];
    }),
  );
}

/** Scenarios that ask for what this server does not have, or for tools, prompts and resources of a test server. */
const notApplicable: Record<string, readonly string[]> = {
  "calls tools that only a test server has": [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "json-schema-2020-12",
  ],
  "reads resources and prompts that only a test server has": [
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
  "the server never asks the client for anything": [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
  ],
  "no tool has arguments in headers": ["http-custom-header-server-validation"],
  "completes an argument of a prompt that only a test server has": ["completion-complete"],
  "not offered, and not declared as a capability of these revisions": [
    "logging-set-level",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
};

/** Checks inside a scenario that otherwise applies: each wants a tool of a test server. */
const untestable = new Set([
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
]);

const applicable: [revision: string, scenarios: string[]][] = [
  ["2025-06-18", ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"]],
  [
    "2025-11-25",
    ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"],
  ],
  [
    "2026-07-28",
    [
      "server-stateless",
      "tools-list",
      "resources-list",
      "prompts-list",
      "sep-2164-resource-not-found",
      "dns-rebinding-protection",
      "caching",
      "http-header-validation",
      "server-sse-multiple-streams",
      "input-required-result-unsupported-methods",
    ],
  ],
];

it.each(applicable)("every applicable scenario of revision %s passes", async (revision, scenarios) => {
  const results = await runSuite(revision);
  for (const name of scenarios) {
    expect([name, results.get(name)?.some(({ status }) => status === "SUCCESS")]).toEqual([name, true]);
  }
  const excluded = new Set(Object.values(notApplicable).flat());
  const failures = [...results].flatMap(([name, checks]) =>
    checks
      .filter(({ id, status }) => status === "FAILURE" && !excluded.has(name) && !untestable.has(id))
      .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`),
  );
  expect(failures).toEqual([]);
  // A scenario that passes is no longer one that does not apply.
  const passing = [...results].filter(([, checks]) => checks.every(({ status }) => status !== "FAILURE"));
  expect(passing.map(([name]) => name).filter((name) => excluded.has(name))).toEqual([]);
});

// Writes schema/*.schema.json, with which editors complete and check workflow files, their tests and manifests of connectors.
// usage: node scripts/run.mjs node scripts/write-schema.ts
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildConnectorSchema } from "../src/connectors/manifest/connector-schema.ts";
import { buildTestSchema } from "../src/engine/definition/test-schema.ts";
import { buildWorkflowSchema } from "../src/engine/definition/workflow-schema.ts";
import { nodes } from "../src/nodes/index.ts";
import { toolPath } from "./pinned-node.mjs";

write("workflow", buildWorkflowSchema(nodes));
write("workflow-test", buildTestSchema());
write("connector", buildConnectorSchema());

function write(name: string, schema: unknown): void {
  const file = fileURLToPath(new URL(`../schema/${name}.schema.json`, import.meta.url));
  writeFileSync(file, JSON.stringify(schema, null, 2));
  execFileSync(process.execPath, [toolPath("oxfmt"), file], { stdio: "inherit" });
}

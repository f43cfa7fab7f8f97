// Writes schema/workflow.schema.json, with which editors complete and check workflow files.
// usage: node scripts/run.mjs node scripts/write-schema.ts
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildWorkflowSchema } from "../src/engine/definition/workflow-schema.ts";
import { nodes } from "../src/nodes/index.ts";
import { toolPath } from "./pinned-node.mjs";

const file = fileURLToPath(new URL("../schema/workflow.schema.json", import.meta.url));
writeFileSync(file, JSON.stringify(buildWorkflowSchema(nodes), null, 2));
execFileSync(process.execPath, [toolPath("oxfmt"), file], { stdio: "inherit" });

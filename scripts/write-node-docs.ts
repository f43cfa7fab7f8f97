// Writes docs/nodes.md, the reference of all node types.
// usage: node scripts/run.mjs node scripts/write-node-docs.ts
import { writeFileSync } from "node:fs";
import { nodes } from "../src/nodes/index.ts";
import { renderNodeDocs } from "./render-node-docs.ts";

writeFileSync(new URL("../docs/nodes.md", import.meta.url), renderNodeDocs(nodes));

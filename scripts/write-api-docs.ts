// Writes docs/api.md, the reference of the REST API.
// usage: node scripts/run.mjs node scripts/write-api-docs.ts
import { writeFileSync } from "node:fs";
import { operations } from "../src/daemon/operations/index.ts";
import { renderApiDocs } from "./render-api-docs.ts";

writeFileSync(new URL("../docs/api.md", import.meta.url), renderApiDocs(operations));

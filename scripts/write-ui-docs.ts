// Writes the table of keys into docs/terminal-ui.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withKeys } from "./render-ui-docs.ts";

const file = fileURLToPath(new URL("../docs/terminal-ui.md", import.meta.url));
writeFileSync(file, withKeys(readFileSync(file, "utf8")));

// Writes docs/command-line.md and docs/configuration.md.
// usage: node scripts/run.mjs node scripts/write-cli-docs.ts
import { writeFileSync } from "node:fs";
import { commandTree } from "../src/cli/commands/index.ts";
import { loadCommands } from "../src/cli/load-commands.ts";
import { renderCliDocs } from "./render-cli-docs.ts";
import { renderConfigurationDocs } from "./render-configuration-docs.ts";

writeFileSync(new URL("../docs/command-line.md", import.meta.url), renderCliDocs(await loadCommands(commandTree)));
writeFileSync(new URL("../docs/configuration.md", import.meta.url), renderConfigurationDocs());

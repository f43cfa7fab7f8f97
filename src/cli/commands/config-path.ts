import { existsSync } from "node:fs";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printSheet } from "../print.ts";

export const configPath = defineCommand({
  name: "path",
  summary: "print where the user's config.yaml and the project's stepgate.yaml are",
  examples: ["config path", "config path -q", "config path --json"],
  async action({ userFile, configuration, output }) {
    const path = await userFile();
    const exists = existsSync(path);
    // The path is of use even where what stands there is not.
    const project = await configuration().then(
      ({ projectFile }) => projectFile,
      () => null,
    );
    await printSheet(output, {
      json: { path, exists, project },
      id: path,
      fields: [
        ["config", textCell(exists || output.format !== "table" ? path : `${path} (not there yet)`)],
        ["project", textCell(project)],
      ],
    });
  },
});

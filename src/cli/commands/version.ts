import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { printSheet } from "../print.ts";

export const version = defineCommand({
  name: "version",
  summary: "print the version of Stepgate and of its Node",
  examples: ["version", "version --json"],
  async action({ wiring, output }) {
    const { node } = process.versions;
    const fields = [["stepgate", textCell(wiring.version)] as const, ["node", textCell(node)] as const];
    await printSheet(output, { json: { version: wiring.version, node }, id: wiring.version, fields });
  },
});

import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { originCell, settingRows, showValue } from "../config/setting-row.ts";
import { flag } from "../option.ts";
import { printListing } from "../print.ts";

export const configList = defineCommand({
  name: "list",
  summary: "list every setting with its value and where that came from",
  options: {
    showOrigin: flag("name the file or variable, too"),
    changed: flag("those alone that are not at their default"),
  },
  examples: ["config list", "config list --changed --show-origin", "config list --json"],
  async action({ configuration, output }, { showOrigin, changed }) {
    const { settings } = await configuration();
    const all = await settingRows(settings.values());
    const rows = changed ? all.filter(({ origin }) => origin !== "default") : all;
    await printListing(output, {
      json: { settings: rows },
      rows,
      id: ({ name }) => name,
      columns: ["SETTING", "VALUE", "FROM", ...(showOrigin ? ["SOURCE"] : [])],
      cells: (row) => [
        textCell(row.name, "bold"),
        textCell(showValue(row.value)),
        originCell(row),
        ...(showOrigin ? [textCell(row.source)] : []),
      ],
      empty: "Every setting is at its default.",
    });
  },
});

import type { SettingValue } from "../../contract/settings.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { settingRows, showValue } from "../config/setting-row.ts";
import type { Context } from "../context.ts";
import { argument } from "../option.ts";
import { safeText } from "../safe-text.ts";

export const configGet = defineCommand({
  name: "get",
  summary: "print the value of one setting",
  arguments: { setting: argument("name of the setting, such as limits.runsPerHour") },
  examples: ["config get limits.runsPerHour", "config get server.port --json"],
  async action(context, { setting: name }) {
    const { output } = context;
    const [row] = await settingRows([await findSetting(context, name)]);
    if (output.format === "json" || output.format === "jsonl") output.document(row);
    else output.print(safeText(showValue(row?.value ?? null)));
  },
});

async function findSetting({ configuration, wiring }: Context, name: string): Promise<SettingValue> {
  const { settings } = await configuration();
  const found = settings.get(name);
  if (found) return found;
  const { explainUnknown } = await wiring.configurationFile();
  throw new CliError("notFound", explainUnknown(name));
}

import type { TriggerDetail } from "../../contract/trigger.ts";
import { CliError } from "../cli-error.ts";
import { type Command, defineCommand } from "../command.ts";
import { printSheet } from "../print.ts";
import { textCell } from "../cell.ts";
import { printTrigger, triggerArgument, triggerPath } from "../trigger.ts";

export const triggersShow = defineCommand({
  name: "show",
  summary: "show what starts a workflow, and how",
  arguments: { trigger: triggerArgument },
  examples: ['triggers show "On order"', "triggers show ID --json"],
  async action({ control, output }, { trigger }) {
    const client = await control();
    await printTrigger(output, await client.get<TriggerDetail>(triggerPath(trigger)));
  },
});

export const triggersUrl = defineCommand({
  name: "url",
  summary: "print the address to which a webhook's requests are sent",
  arguments: { trigger: triggerArgument },
  examples: ['triggers url "On order"', "triggers url ID --json"],
  async action({ control, output }, { trigger: reference }) {
    const client = await control();
    const { subscription_id, url } = await client.get<TriggerDetail>(triggerPath(reference));
    if (url === null) throw new CliError("usage", "This trigger has no address: it is no webhook.");
    if (output.format === "table" || output.format === "tsv") return output.print(url);
    await printSheet(output, { json: { subscription_id, url }, id: url, fields: [["url", textCell(url)]] });
  },
});

export const triggersEnable = defineChange("enable", "let a trigger that is paused start runs again");
export const triggersDisable = defineChange("disable", "pause a trigger: it starts no runs; those under way go on");

function defineChange(name: "enable" | "disable", summary: string): Command {
  return defineCommand({
    name,
    summary,
    arguments: { trigger: triggerArgument },
    examples: [`triggers ${name} "On order"`, `triggers ${name} ID --json`],
    async action({ control, output }, { trigger }) {
      const client = await control();
      await printTrigger(output, await client.post<TriggerDetail>(`${triggerPath(trigger)}/${name}`));
    },
  });
}

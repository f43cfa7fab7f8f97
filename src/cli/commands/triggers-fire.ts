import type { Json } from "../../contract/json.ts";
import type { Run } from "../../contract/run.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { value } from "../option.ts";
import { printStartedRun } from "../print-run.ts";
import { readSource } from "../read-input.ts";
import { triggerArgument, triggerPath } from "../trigger.ts";

export const triggersFire = defineCommand({
  name: "fire",
  summary: "start a test run, as if the trigger had fired",
  arguments: { trigger: triggerArgument },
  options: {
    body: value("JSON", "a webhook's body, or the whole output of another trigger: JSON, @FILE, or - for stdin"),
  },
  examples: [`triggers fire "On order" --body '{"id": "o-1"}'`, "triggers fire ID --body @event.json --json"],
  async action({ control, output, terminal }, { trigger, body }) {
    const given = body === undefined ? {} : { body: await readBody(body, terminal.stdin) };
    const client = await control();
    await printStartedRun(output, await client.post<Run>(`${triggerPath(trigger)}/fire`, given));
  },
});

/** Any JSON value: a webhook's body need not be an object. */
async function readBody(source: string, stdin: NodeJS.ReadableStream): Promise<Json> {
  const text = await readSource(source, stdin);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new CliError("usage", `--body is no valid JSON: ${reasonOf(error)}.`, {
      hint: "give JSON, @FILE, or - for stdin",
    });
  }
}

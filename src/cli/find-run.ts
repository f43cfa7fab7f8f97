import type { RunList } from "../contract/run.ts";
import { CliError } from "./cli-error.ts";
import type { Client } from "./client.ts";
import type { Context } from "./context.ts";
import { argument } from "./option.ts";

export const runtimePath = "/api/v1/runtime";

const pageSize = 100;

/** How far back a prefix is looked for. */
const searchedRuns = 1000;

/** Path of a run in the API; the id may be anything that was typed. */
export function runPath(id: string): string {
  return `${runtimePath}/runs/${encodeURIComponent(id)}`;
}

/** The run of a command that reads it. */
export const runArgument = argument("id of the run; its first 6 characters or more do, when they are unique");

/** Words the help of the run that a command changes. */
export const namesRunToChange = "id of the run; at a terminal its first 6 characters or more do, when they are unique";

/**
 * The whole id for a unique beginning or end of at least 6 characters. Anything else is given back for the daemon to
 * judge. For reading alone: what changes a run asks for the whole id where no person looks on (findRunToChange).
 */
export async function findRunId(client: Client, given: string): Promise<string> {
  if (!/^[0-9a-f-]{6,35}$/i.test(given)) return given;
  const matches: string[] = [];
  for (let offset = 0; offset < searchedRuns; offset += pageSize) {
    const { runs, total } = await client.get<RunList>(`${runtimePath}/runs`, { limit: pageSize, offset });
    matches.push(...runs.map((run) => run.run_id).filter((id) => isNamed(id, given.toLowerCase())));
    if (offset + pageSize >= total) break;
  }
  const [first] = matches;
  if (matches.length > 1) {
    const how = matches.every((id) => id.startsWith(given.toLowerCase())) ? "begin with" : "begin or end with";
    throw new CliError("usage", `${matches.length} runs ${how} ${given}; give more of the id.`, {
      details: matches.slice(0, 10),
    });
  }
  return first ?? given;
}

/**
 * As findRunId at a terminal; elsewhere the id has to be whole, so that a script never decides on another run (cli.md). A
 * script whose output a person sees is a script all the same: its input is no terminal.
 */
export async function findRunToChange(
  { output, terminal }: Pick<Context, "output" | "terminal">,
  client: Client,
  given: string,
): Promise<string> {
  return output.isTerminal && terminal.stdin.isTTY ? findRunId(client, given) : given;
}

/** The terminal UI names runs by their end: the beginnings of those of one minute are the same. */
function isNamed(id: string, part: string): boolean {
  return id.startsWith(part) || id.endsWith(part);
}

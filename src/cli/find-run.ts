import type { RunList } from "../contract/run.ts";
import { CliError } from "./cli-error.ts";
import type { Client } from "./client.ts";
import type { Context } from "./context.ts";

export const runtimePath = "/api/v1/runtime";

const pageSize = 100;

/** How far back a prefix is looked for. */
const searchedRuns = 1000;

/** Path of a run in the API; the id may be anything that was typed. */
export function runPath(id: string): string {
  return `${runtimePath}/runs/${encodeURIComponent(id)}`;
}

/**
 * The whole id for a unique beginning or end of at least 6 characters, for reads at a terminal alone (cli.md). Anything
 * else is given back for the daemon to judge.
 */
export async function findRunId({ output }: Pick<Context, "output">, client: Client, given: string): Promise<string> {
  if (!output.isTerminal || !/^[0-9a-f-]{6,35}$/i.test(given)) return given;
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

/** The terminal UI names runs by their end: the beginnings of those of one minute are the same. */
function isNamed(id: string, part: string): boolean {
  return id.startsWith(part) || id.endsWith(part);
}

import { type RunStatus, runSources, runStatuses } from "../../contract/run.ts";
import { parseMoment } from "../parse-duration.ts";

/** Which runs a bulk command is about, as the list of runs takes it. */
export type RunFilter = {
  status?: RunStatus;
  action_slug?: string;
  source?: string;
  has_incident?: string;
  date_from?: string;
  date_to?: string;
};

const names = ["status", "slug", "source", "incident", "since", "until"];

/**
 * Reads `status=failed,slug=sync,since=1h`. Throws on a name or a value that there is not, on a doubled name, and on an
 * empty text: every run is never meant by leaving everything out.
 */
export function readFilter(text: string): RunFilter {
  const filter: RunFilter = {};
  const seen = new Set<string>();
  for (const part of text.split(",")) {
    const at = part.indexOf("=");
    const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at < 1 || value === "")
      throw new Error(`must be NAME=VALUE,… and has "${part}"; names are ${names.join(", ")}`);
    if (seen.has(name)) throw new Error(`has ${name} twice`);
    seen.add(name);
    Object.assign(filter, readPart(name, value));
  }
  return filter;
}

function readPart(name: string, value: string): RunFilter {
  switch (name) {
    case "status":
      return { status: oneOf("status", value, runStatuses) };
    case "slug":
      return { action_slug: value };
    case "source":
      return { source: oneOf("source", value, runSources) };
    case "incident":
      return { has_incident: oneOf("incident", value, ["true", "false"]) };
    case "since":
      return { date_from: parseMoment(value, new Date(), "ago").toISOString() };
    case "until":
      return { date_to: parseMoment(value, new Date(), "ago").toISOString() };
    default:
      throw new Error(`has no name ${name}; there are ${names.join(", ")}`);
  }
}

function oneOf<Word extends string>(name: string, value: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new Error(`has no ${name} ${value}; there are ${words.join(", ")}`);
}

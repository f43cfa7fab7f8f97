import type { Action } from "../../contract/action.ts";
import type { EventType } from "../../contract/journal.ts";
import type { Run, RunDetail } from "../../contract/run.ts";
import { awaitRun } from "../await-run.ts";
import { CliError, reasonOf } from "../cli-error.ts";
import type { Client } from "../client.ts";
import { defineCommand } from "../command.ts";
import { canAsk, type Context, type Terminal } from "../context.ts";
import type { ExitName } from "../exit-codes.ts";
import { runtimePath } from "../find-run.ts";
import { argument, flag, oneOf, value, values } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { coerceFields, parsePairs, type JsonObject } from "../parse-input.ts";
import { printRun, printStartedRun } from "../print-run.ts";
import { readInputObject } from "../read-input.ts";
import { runSuite } from "../run-suite.ts";
import { writeJunit } from "../write-junit.ts";
import { printEvent } from "./runs-journal.ts";

type Input = { field: readonly string[]; input: string | undefined };

export const run = defineCommand({
  name: "run",
  summary: "run an action",
  arguments: { slug: argument("slug of the action") },
  options: {
    field: values("NAME=VALUE", "one field of the input, in the type that the action declares", "-i"),
    input: value("JSON", "the input as JSON, @FILE, or - for stdin; fields of -i come on top"),
    dryRun: flag("check the input and do nothing"),
    idempotencyKey: value("KEY", "the same key with the same input within 24 h gives the first run again"),
    wait: flag("wait for the end; the exit code tells it (stepgate help exit-codes)", "-w"),
    follow: flag("print the journal as it is written; waits, too"),
    timeout: value("TIME", "give up waiting after this time; the run goes on", { parse: parseDuration }),
    junit: value("FILE", "when it is over, write its steps as a report in JUnit's form"),
    onApproval: value("WHAT", "while waiting: exit at an approval, or wait for it (wait at a terminal, else exit)", {
      parse: oneOf("exit", "wait"),
    }),
  },
  examples: ["run hello -i name=Ada --wait", "run sync-crm --input @in.json --wait --timeout 2m --json"],
  async action(context, { slug, field, input, dryRun, idempotencyKey, junit, ...waiting }) {
    const { output, terminal } = context;
    const startedAt = performance.now();
    const patience = await readPatience(context, waiting);
    const { timeout } = patience;
    if (junit !== undefined && !patience.isWaiting)
      throw new CliError("usage", "--junit goes with --wait or --follow.");
    const client = await context.runtime();
    if (timeout !== undefined) client.patienceMs = timeout;

    const path = `${runtimePath}/actions/${encodeURIComponent(slug)}`;
    const key = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const whole = await readInput(terminal, { input, field }, async () => client.get<Action>(path));
    const started = await client.post<Run>(`${path}/run`, { input: whole, ...(dryRun ? { dry_run: true } : {}) }, key);
    if (!patience.isWaiting) return printStartedRun(output, started);
    const timeoutMs =
      timeout === undefined ? undefined : Math.max(0, Math.ceil(timeout - (performance.now() - startedAt)));
    await printEnd(context, client, started, { ...patience, timeoutMs, junit });
  },
});

/** How long a command waits, and for what: its flags, else the settings run.timeout and run.on_approval. */
export async function readPatience(
  { configured }: Pick<Context, "configured">,
  { wait, follow, timeout, onApproval }: Patience,
): Promise<Patience & { isWaiting: boolean }> {
  const isWaiting = wait || follow;
  if (timeout !== undefined && !isWaiting) throw new CliError("usage", "--timeout goes with --wait or --follow.");
  if (!isWaiting) return { wait, follow, timeout, onApproval, isWaiting };
  const set = timeout === undefined ? await configured("run.timeout") : undefined;
  // Both passed the schema of their setting.
  const preset = (await configured("run.on_approval")) as "exit" | "wait" | undefined | null;
  return {
    wait,
    follow,
    isWaiting,
    timeout: timeout ?? (typeof set === "string" ? parseDuration(set) : undefined),
    onApproval: onApproval ?? preset ?? undefined,
  };
}

type Patience = {
  wait: boolean;
  follow: boolean;
  timeout: number | undefined;
  onApproval: "exit" | "wait" | undefined;
};

type Waiting = {
  follow: boolean;
  /** Leaves out of the journal what goes as it should. */
  compact?: boolean;
  onApproval: "exit" | "wait" | undefined;
  timeoutMs: number | undefined;
  junit?: string | undefined;
};

const usual: ReadonlySet<EventType> = new Set(["step_started", "step_completed", "step_skipped"]);

/** Waits for the end of a run, prints it, and throws when it isn't a success. */
export async function printEnd(context: Context, client: Client, started: Run, waiting: Waiting): Promise<void> {
  const { output } = context;
  const hasJournal = waiting.follow && output.format !== "json" && output.format !== "ids";
  output.note(`run ${started.run_id} ${started.status}`);
  const { run: ended, exit } = await awaitRun(client, started, {
    stopsAtApproval: (waiting.onApproval ?? (canAsk(context) ? "wait" : "exit")) === "exit",
    timeoutMs: waiting.timeoutMs,
    onEvent: (event) => hasJournal && !(waiting.compact && usual.has(event.type)) && printEvent(output, event),
    onStatus: (status) => output.note(`run ${started.run_id} ${status}`),
  });
  if (waiting.junit !== undefined) await writeJunit(waiting.junit, [runSuite(ended, exit)]);
  // A program that asked for the journal gets nothing else on stdout.
  if (!hasJournal || output.format === "table") await printRun(output, ended);
  if (exit !== "ok") throw unsuccessful(ended, exit);
}

async function readInput(
  { stdin }: Terminal,
  { input, field }: Input,
  readAction: () => Promise<Action>,
): Promise<JsonObject> {
  const whole = input === undefined ? {} : await readInputObject(input, stdin);
  if (field.length === 0) return whole;
  const fields = readPairs(field);
  return { ...whole, ...coerceFields(fields, await readSchema(readAction)) };
}

/** A key may start actions and not read them: then every field stays text, and the daemon judges that. */
async function readSchema(readAction: () => Promise<Action>): Promise<JsonObject> {
  try {
    return (await readAction()).inputSchema;
  } catch (error) {
    if (error instanceof CliError && error.extra.code === "FORBIDDEN") return {};
    throw error;
  }
}

function readPairs(pairs: readonly string[]): Map<string, string> {
  try {
    return parsePairs(pairs);
  } catch (error) {
    throw new CliError("usage", `-i ${reasonOf(error)}.`);
  }
}

function unsuccessful({ run_id, status, error }: RunDetail, exit: ExitName): CliError {
  const reason = error === null ? "" : `: ${error.code} ${error.message}`;
  const messages: Partial<Record<ExitName, string>> = {
    runFailed: `The run failed${reason}`,
    runTimedOut: `The run timed out${reason}`,
    runCancelled: "The run was cancelled.",
    runNeedsApproval: "The run waits for an approval.",
    waitTimedOut: `The time is up and the run is ${status}; it goes on.`,
  };
  const hints: Partial<Record<ExitName, string>> = {
    runNeedsApproval: `decide with: stepgate approve ${run_id}, or: stepgate reject ${run_id}`,
    waitTimedOut: `follow it with: stepgate runs watch ${run_id}`,
  };
  return new CliError(exit, messages[exit] ?? status, {
    code: error?.code,
    hint: hints[exit] ?? `see: stepgate runs journal ${run_id}`,
  });
}

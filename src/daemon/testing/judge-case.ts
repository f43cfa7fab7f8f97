import { isDeepStrictEqual } from "node:util";
import type { TestCase, TestFailure } from "../../contract/workflow-test.ts";
import { parseJson } from "../../engine/values/json.ts";
import type { Played } from "./run-case.ts";

/** Holds what came of a run against what a case expects of it; every difference at once. */
export function judgeCase({ expect }: TestCase, played: Played): TestFailure[] {
  const failures: TestFailure[] = played.missing.map((id) => ({
    what: `mocks.${id}`,
    message: `${id} reaches outside and has no answer: give one under mocks.${id}, as {output: …} or {error: {code: …}}`,
  }));
  const { status, output, error, steps = {}, journal, response } = expect;
  if (played.status !== status) failures.push(otherStatus(status, played));
  if (output !== undefined) compare(failures, "output", output, played.output);
  if (error !== undefined) compareError(failures, error, played);
  for (const [id, wanted] of Object.entries(steps)) compareStep(failures, id, wanted, played);
  if (journal !== undefined) compareJournal(failures, journal, played);
  if (response !== undefined) compareResponse(failures, response, played);
  return failures;
}

function otherStatus(expected: string, { status, error, steps }: Played): TestFailure {
  const asks = steps.find((step) => step.status === "pending_approval")?.step_id ?? "run";
  const reason =
    status === "waiting_for_approval"
      ? `: decide it with approvals: {${asks}: approve}`
      : error
        ? `: ${error.code} ${error.message}${error.step_id === undefined ? "" : ` (step ${error.step_id})`}`
        : "";
  return { what: "status", message: `The run is ${status}${reason}`, expected, received: status };
}

function compare(failures: TestFailure[], what: string, expected: unknown, received: unknown): void {
  if (isDeepStrictEqual(plain(expected), plain(received))) return;
  failures.push({ what, message: `${what} is another one`, expected, received });
}

/** As JSON has it: no undefined members, no prototypes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

type Expected = TestCase["expect"];

function compareError(failures: TestFailure[], wanted: Exclude<Expected["error"], undefined>, played: Played): void {
  const { error } = played;
  if (wanted === null) return compare(failures, "error", null, error);
  if (typeof wanted === "string") {
    if (error?.code === wanted) return;
    const message = error ? `The error is ${error.code}: ${error.message}` : "There is no error";
    failures.push({ what: "error", message, expected: wanted, received: error?.code ?? null });
    return;
  }
  const { code, message, step_id } = error ?? {};
  const known: Record<string, unknown> = { code, message, step_id };
  const received = error && Object.fromEntries(Object.keys(wanted).map((key) => [key, known[key] ?? null]));
  compare(failures, "error", wanted, received);
}

function compareStep(failures: TestFailure[], id: string, wanted: string, { steps }: Played): void {
  const found = [...new Set(steps.filter((step) => step.step_id === id).map(({ status }) => status))];
  if (found.length === 1 && found[0] === wanted) return;
  const received = found.length > 1 ? found : (found[0] ?? null);
  const message = found.length === 0 ? `The step ${id} was never reached` : `The step ${id} is ${found.join(" and ")}`;
  failures.push({ what: `steps.${id}`, message, expected: wanted, received });
}

/** An entry with a node id is compared with it, one without by its type alone. */
function compareJournal(failures: TestFailure[], wanted: readonly string[], { events }: Played): void {
  const received = events.map(({ type, stepId }, at) => {
    const expected = wanted[at];
    return expected === undefined || expected.includes(" ") ? `${type} ${stepId}` : type;
  });
  compare(failures, "journal", wanted, received);
}

function compareResponse(
  failures: TestFailure[],
  wanted: NonNullable<Expected["response"]>,
  { response }: Played,
): void {
  if (!response) {
    failures.push({ what: "response", message: "The webhook was not answered", expected: wanted, received: null });
    return;
  }
  const answered = { status: response.status, body: readBody(response.body) };
  const received = Object.fromEntries(Object.entries(answered).filter(([key]) => Object.hasOwn(wanted, key)));
  compare(failures, "response", wanted, received);
}

function readBody(body: string | null): unknown {
  return body === null ? null : (parseJson(body) ?? body);
}

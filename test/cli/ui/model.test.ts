import fc from "fast-check";
import { expect, it } from "vitest";
import { textWidth, lineText } from "../../../src/cli/ui/draw/line.ts";
import { makeTheme } from "../../../src/cli/ui/draw/theme.ts";
import { bindings } from "../../../src/cli/ui/model/keys.ts";
import type { Effect, Message, Model } from "../../../src/cli/ui/model/model.ts";
import { keptEvents } from "../../../src/cli/ui/model/run.ts";
import { keptRuns, shownRuns } from "../../../src/cli/ui/model/runs.ts";
import { update } from "../../../src/cli/ui/model/update.ts";
import { drawScreen } from "../../../src/cli/ui/screens/draw.ts";
import { approval, approvals, detail, event, gatedId, keysOf, modelAfter, now, runId, runRow } from "./samples.ts";

const size = { columns: 80, rows: 24 };
const [first] = approvals;

/** The effects of keys, and the model after them. */
function press(model: Model, messages: Message[]): { model: Model; effects: Effect[] } {
  const effects: Effect[] = [];
  for (const message of messages) {
    const [next, more] = update(model, message);
    model = next;
    effects.push(...more);
  }
  return { model, effects };
}

it("a selected run stays selected and in its place while others come, and new ones wait until they are asked for", () => {
  let model = modelAfter(["jj"], size);
  const before = shownRuns(model.runs, now).map(({ run_id }) => run_id);
  for (let n = 100; n < 150; n += 1) [model] = update(model, { type: "changed", runs: [runRow(n)] });
  expect(model.runs.list.selected).toBe(gatedId);
  expect(shownRuns(model.runs, now).map(({ run_id }) => run_id)).toEqual(before);
  [model] = update(model, { type: "key", key: "g", at: now });
  expect(shownRuns(model.runs, now)[0]?.run_id).toBe(runId(149));
});

it("without a selection the list follows the newest run", () => {
  const model = modelAfter([{ type: "changed", runs: [runRow(99)] }], size);
  expect(shownRuns(model.runs, now)[0]?.run_id).toBe(runId(99));
});

it("while a row is selected a run that no longer fits the filter keeps its place", () => {
  let model = modelAfter(["/status:running<enter>j"], size);
  const [shown] = shownRuns(model.runs, now);
  if (!shown) throw new Error("Nothing fits");
  [model] = update(model, { type: "changed", runs: [{ ...shown, status: "succeeded" }] });
  expect(shownRuns(model.runs, now)).toMatchObject([{ run_id: shown.run_id, status: "succeeded" }]);
  [model] = update(model, { type: "key", key: "esc", at: now });
  expect(shownRuns(model.runs, now)).toEqual([]);
});

it("a decision is about the request whose form is open, however many runs arrive meanwhile", () => {
  const opened = press(modelAfter(["2j"], size), keysOf("a"));
  let { model } = opened;
  for (let n = 100; n < 150; n += 1) {
    [model] = update(model, { type: "changed", runs: [runRow(n, { status: "waiting_for_approval" })] });
    [model] = update(model, { type: "approvals", approvals: [approval(n, { run_id: runId(n) }), ...approvals] });
  }
  const { effects } = press(model, keysOf("fine<enter>71be<enter>", now + 301));
  expect(effects).toEqual([
    { type: "decide", runId: gatedId, approvalId: first?.id, decision: "approved", comment: "fine" },
  ]);
});

it("what was typed ahead reaches no form: within 300 ms nothing is taken", () => {
  const typed = press(modelAfter(["2j"], size), keysOf("a<enter>71be<enter>"));
  expect(typed.effects).toEqual([]);
  expect(typed.model.modal).toMatchObject({ kind: "form", field: "comment", typed: "" });
  const asked = press(modelAfter(["jjc"], size), keysOf("y", now + 299));
  expect(asked.effects).toEqual([]);
});

it("a decision takes the characters of its run, and pasting them does not do", () => {
  const form = modelAfter(["2ja"], size);
  const wrong = press(form, keysOf("<enter>71bf<enter>", now + 400));
  expect(wrong.effects).toEqual([]);
  expect(wrong.model.modal).toMatchObject({ problem: "That is not 71be: nothing was sent", typed: "" });
  const pasted = press(form, [...keysOf("<enter>", now + 400), { type: "paste", text: "71be", at: now + 400 }]);
  expect(pasted.model.modal).toMatchObject({ typed: "", problem: "The confirmation has to be typed" });
});

it("where the settings say so, all of the short id has to be typed", () => {
  const form = modelAfter(["2ja"], size, { place: { confirmBy: "id" } });
  const part = press(form, keysOf("<enter>71be<enter>", now + 400));
  expect(part.effects).toEqual([]);
  const whole = press(form, keysOf("<enter>71be90d4<enter>", now + 400));
  expect(whole.effects).toMatchObject([{ type: "decide", runId: gatedId }]);
});

it("tab goes round the screens, shift-tab the other way; in a run they go round its panes", () => {
  const round = ["<tab>", "<tab><tab>", "<tab><tab><tab>", "<tab><tab><tab><tab>", "<shift-tab>"];
  const screens = round.map((keys) => modelAfter([keys], size).screen);
  expect(screens).toEqual(["approvals", "actions", "workflows", "runs", "workflows"]);
  const inRun = modelAfter(["jj<enter><tab>"], size);
  expect([inRun.screen, inRun.run?.pane]).toEqual(["run", "journal"]);
});

it("a comment takes what is pasted, in one line and 1,000 characters", () => {
  const { model } = press(modelAfter(["2jx"], size), [
    { type: "paste", text: `a\nb${"ü".repeat(2000)}`, at: now + 400 },
  ]);
  const comment = model.modal?.kind === "form" ? model.modal.comment : "";
  expect([comment.slice(0, 4), comment.length]).toEqual(["a bü", 1000]);
});

it("rejecting is chosen in the form, too", () => {
  const { effects } = press(modelAfter(["2ja"], size), keysOf("<shift-tab><right><tab><enter>71be<enter>", now + 400));
  expect(effects).toMatchObject([{ type: "decide", decision: "rejected" }]);
});

it("while the daemon is lost nothing can be decided, replayed or cancelled, a form that is open neither", () => {
  const lost: Message = {
    type: "connection",
    connection: { kind: "lost", since: now, reason: "gone", attempt: 1, retryAt: now, change: null },
  };
  for (const keys of ["2ja", "2jx", "jjc", "jjjjr"]) {
    const [last] = keys.slice(-1);
    const model = modelAfter([keys.slice(0, -1), lost], size);
    const after = press(model, keysOf(last ?? ""));
    expect(after.model.modal).toBeNull();
    expect(after.effects.filter(({ type }) => type !== "retry")).toEqual([]);
  }
  const form = press(modelAfter(["2ja", lost], size), keysOf("<enter>71be<enter>", now + 400));
  expect(form.effects).toEqual([]);
  expect(form.model.modal).toMatchObject({ problem: "The daemon is not connected: nothing was sent", state: "open" });
});

it("of a daemon elsewhere there is no log to show: this machine's is another daemon's", () => {
  const lost: Message = {
    type: "connection",
    connection: { kind: "lost", reason: "gone", since: now, attempt: 1, retryAt: now, change: null },
  };
  const pressed = (isLocal: boolean) => {
    const model = modelAfter([lost], size, { place: { isLocal, canStart: isLocal } });
    const footer = lineText(drawScreen(model, makeTheme({ isAscii: true, isColoured: false })).at(-1) ?? []);
    return [footer.includes("l log"), press(model, keysOf("l")).effects.length];
  };
  expect([pressed(true), pressed(false)]).toEqual([
    [true, 1],
    [false, 0],
  ]);
});

it("a question is about the run that was selected when it was asked", () => {
  let { model } = press(modelAfter(["jj"], size), keysOf("c"));
  for (let n = 100; n < 120; n += 1) [model] = update(model, { type: "changed", runs: [runRow(n)] });
  expect(press(model, keysOf("y", now + 400)).effects).toEqual([{ type: "cancel", runId: gatedId }]);
});

it("a replay shows its plan first, and takes the input that was changed in the editor", () => {
  const asked = press(modelAfter(["jjjj"], size), keysOf("r"));
  const failed = runId(5, "c41d2b90");
  expect(asked.effects).toEqual([{ type: "preview", runId: failed }]);
  const edited = press(asked.model, [
    ...keysOf("e", now + 400),
    { type: "edited", runId: failed, input: { a: 1 }, problem: null },
    ...keysOf("y", now + 500),
  ]);
  expect(edited.effects).toEqual([
    { type: "edit-input", runId: failed },
    { type: "replay", runId: failed, input: { a: 1 } },
  ]);
});

it("a run that is over can't be cancelled, and one that is not can't be replayed", () => {
  expect(press(modelAfter(["j"], size), keysOf("c")).model.notice?.text).toContain("nothing to cancel");
  expect(press(modelAfter(["jj"], size), keysOf("r")).model.notice?.text).toContain("not over yet");
});

it("a request that somebody else decided stays where it was, says by whom, and can't be decided", () => {
  const shown = modelAfter(["2j"], size);
  const gone = press(shown, [{ type: "approvals", approvals: approvals.slice(1) }]);
  expect(gone.effects).toEqual([{ type: "load-approval", runId: gatedId, approvalId: first?.id }]);
  const resolved = approval(7, { status: "rejected", user_id: "bob" });
  const known = press(gone.model, [
    { type: "resolved", approval: resolved },
    { type: "approvals", approvals: approvals.slice(1) },
  ]);
  expect(known.model.approvals.list.selected).toBe(first?.id);
  const tried = press(known.model, keysOf("a"));
  expect([tried.model.modal, tried.model.notice?.text]).toEqual([null, "Already resolved (rejected)"]);
});

it("runs and events are kept up to their bounds, and the selected run is among them", () => {
  let model = modelAfter(["jj"], size);
  for (let n = 0; n < 3000; n += 100) {
    const runs = Array.from({ length: 100 }, (_, i) => runRow(1000 + n + i));
    [model] = update(model, { type: "changed", runs });
  }
  expect(model.runs.ids).toHaveLength(keptRuns);
  expect(model.runs.rows.size).toBeLessThanOrEqual(keptRuns + 8);
  expect(model.runs.rows.has(gatedId)).toBe(true);
  model = modelAfter(["jj<enter>", { type: "run", run: detail }], size);
  const events = Array.from({ length: 6000 }, (_, n) => event(n + 1, "step_started", `s${n}`));
  [model] = update(model, { type: "events", runId: gatedId, events });
  expect(model.run?.events).toHaveLength(keptEvents);
  expect(model.run?.events.at(-1)?.seq).toBe(6000);
  expect(model.run?.steps.size).toBe(1000);
});

it("an event that comes twice counts once", () => {
  const model = modelAfter(
    [
      "jj<enter>",
      { type: "events", runId: gatedId, events: [event(1, "step_started", "a")] },
      { type: "events", runId: gatedId, events: [event(1, "step_started", "a"), event(2, "step_completed", "a")] },
    ],
    size,
  );
  expect(model.run?.events.map(({ seq }) => seq)).toEqual([1, 2]);
});

it("Ctrl-C ends with 130 and q with 0, and in a form only Ctrl-C ends anything", () => {
  expect(press(modelAfter([], size), keysOf("q")).effects).toEqual([{ type: "quit", code: 0 }]);
  const ctrlC = keysOf("<ctrl-c>", now + 400);
  expect(press(modelAfter([], size), ctrlC).effects).toEqual([{ type: "quit", code: 130 }]);
  expect(press(modelAfter(["2ja"], size), [...keysOf("q", now + 400), ...ctrlC]).effects).toEqual([
    { type: "quit", code: 130 },
  ]);
});

it("in a window that is too small nothing is opened unseen: q, Ctrl-C and the like are all that counts", () => {
  const small = { columns: 59, rows: 24 };
  const { model, effects } = press(modelAfter([], small), keysOf("2ja"));
  expect([model.screen, model.modal, effects]).toEqual(["runs", null, []]);
  const [inForm] = update(modelAfter(["2ja"], size), { type: "resize", size: small });
  const typed = press(inForm, [...keysOf("b", now + 400), { type: "paste", text: "c", at: now + 400 }]);
  expect(typed.model.modal).toEqual(inForm.modal);
  expect(press(inForm, keysOf("q", now + 400)).effects).toEqual([{ type: "quit", code: 0 }]);
});

const named = [...new Set(bindings.flatMap(({ keys }) => keys)), "y", "x7", "ä", "left", "right", "backspace"];
const messages = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...named).map((key): Message => ({ type: "key", key, at: now + 1000 })) },
  fc
    .integer({ min: 1, max: 60 })
    .map((n): Message => ({ type: "changed", runs: [runRow(n, { action_slug: `a${n}` })] })),
  fc.constant<Message>({ type: "approvals", approvals: [] }),
  fc.constant<Message>({ type: "approvals", approvals }),
  fc.constant<Message>({ type: "run", run: detail }),
  fc
    .integer({ min: 1, max: 40 })
    .map((n): Message => ({ type: "events", runId: gatedId, events: [event(n, "step_started", `s${n}`)] })),
  fc
    .record({ columns: fc.integer({ min: 40, max: 140 }), rows: fc.integer({ min: 10, max: 50 }) })
    .map((changed): Message => ({ type: "resize", size: changed })),
  fc.string().map((text): Message => ({ type: "paste", text, at: now + 2000 })),
);

it("whatever is pressed and whatever arrives, the screen is whole: no line is wider than the terminal", () => {
  const theme = makeTheme({ isAscii: false, isColoured: false });
  fc.assert(
    fc.property(fc.array(messages, { maxLength: 40 }), (said) => {
      const model = modelAfter(said, size);
      const lines = drawScreen(model, theme).map(lineText);
      for (const line of lines) expect(textWidth(line)).toBe(model.size.columns);
      expect(lines.length).toBeLessThanOrEqual(model.size.rows);
    }),
    { numRuns: 150 },
  );
});

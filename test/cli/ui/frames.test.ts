import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Size } from "../../../src/cli/ui/draw/frame.ts";
import { lineText, textWidth } from "../../../src/cli/ui/draw/line.ts";
import { makeTheme } from "../../../src/cli/ui/draw/theme.ts";
import type { Message, Place, Start } from "../../../src/cli/ui/model/model.ts";
import { drawScreen } from "../../../src/cli/ui/screens/draw.ts";
import { speakScreen } from "../../../src/cli/ui/screens/speak.ts";
import {
  approval,
  approvals,
  definition,
  detail,
  event,
  events,
  gatedId,
  keysOf,
  modelAfter,
  now,
  place,
  rows,
  runId,
  runRow,
} from "./samples.ts";

process.env["TZ"] = "UTC";

const sizes: Size[] = [
  { columns: 80, rows: 24 },
  { columns: 60, rows: 15 },
  { columns: 120, rows: 40 },
];

type State = { said: (Message | string)[]; place?: Partial<Place>; start?: Start; empty?: boolean };

const toRun: (Message | string)[] = [
  "jj<enter>",
  { type: "run", run: detail },
  { type: "definition", workflowId: detail.workflow_id, definition, title: "sync-crm", version: 7 },
  { type: "events", runId: gatedId, events },
];
const later = (keys: string) => keysOf(keys, now + 400);
const lost: Message = {
  type: "connection",
  connection: {
    kind: "lost",
    since: now - 14_000,
    reason: "connect ECONNREFUSED",
    attempt: 4,
    retryAt: now + 3200,
    change: 41,
  },
};

const states: Record<string, State> = {
  runs: { said: [] },
  "runs-selected": {
    said: ["jj", { type: "changed", runs: [runRow(20), runRow(21), runRow(22)] }],
  },
  "runs-filter": { said: ["/status:failed crm"] },
  "runs-empty": {
    said: [
      { type: "connection", connection: { kind: "live" } },
      { type: "runs", runs: [], total: 0, isMore: false },
    ],
    empty: true,
  },
  connecting: { said: [], empty: true },
  run: { said: toRun },
  "run-payload": { said: [...toRun, "<tab><tab>jjjjj", "o"] },
  "run-failed": {
    said: [
      ...toRun,
      {
        type: "run",
        run: {
          ...detail,
          status: "failed",
          approval: null,
          duration_ms: 9800,
          error: { code: "UPSTREAM_ERROR", message: "CRM B answered 503" },
        },
      },
      {
        type: "events",
        runId: gatedId,
        events: [
          event(7, "step_failed", "update-deal", { attempt: 2, error: { code: "UPSTREAM_ERROR", message: "503" } }),
        ],
      },
    ],
  },
  approvals: { said: ["2j"] },
  "approvals-form": { said: ["2ja", ...later("checked with sales<enter>71")] },
  "approvals-lost-race": {
    said: [
      "2ja",
      ...later("<enter>71be<enter>"),
      {
        type: "resolved",
        approval: approval(7, {
          status: "rejected",
          user_id: "bob",
          decided_via: "cli",
          decided_at: new Date(now - 2000).toISOString(),
        }),
      },
      {
        type: "failed",
        what: "decision",
        subject: approvals[0]?.id ?? "",
        text: "Already resolved by bob (rejected) 2 s ago: nothing was changed",
      },
    ],
  },
  "approvals-empty": { said: ["2", { type: "approvals", approvals: [] }] },
  actions: { said: ["3j"] },
  workflows: { said: ["4j"] },
  graph: { said: [...toRun, "g", "jjj"] },
  "graph-node": {
    said: ["3j<enter>", { type: "definition", workflowId: "w1", title: "hello", version: 1, definition }, "jj<enter>"],
  },
  "graph-table": { said: [...toRun, "g", "t", "jj"] },
  replay: {
    said: [
      "jjjjr",
      {
        type: "plan",
        runId: rows[3]?.run_id ?? "",
        plan: {
          reused: ["enrich", "score"],
          rerun: ["update-deal", "merge"],
          side_effects_repeated: ["update-deal"],
          refused: [],
        },
      },
    ],
  },
  cancel: { said: ["jjc"] },
  help: { said: ["?"] },
  lost: { said: [lost] },
  refused: { said: [{ type: "connection", connection: { kind: "refused", code: 401, message: "Invalid API key" } }] },
  forbidden: {
    said: [
      {
        type: "connection",
        connection: { kind: "refused", code: 403, message: "The API key lacks the scope runs:read" },
      },
    ],
  },
  limited: { said: [{ type: "connection", connection: { kind: "limited", until: now + 12_000 } }] },
  skew: { said: [{ type: "daemon", version: "9.8.0", address: ":7717" }] },
};

const theme = makeTheme({ isAscii: false, isColoured: false });
const folder = fileURLToPath(new URL("./frames/", import.meta.url));

describe.each(Object.entries(states))("the screen %s", (name, { said, ...given }) => {
  it("is drawn in every size, as wide and as high as the terminal", async () => {
    const frames = sizes.map((size) => {
      const lines = drawScreen(modelAfter(said, size, given), theme).map(lineText);
      expect(lines.map(textWidth)).toEqual(lines.map(() => size.columns));
      expect(lines).toHaveLength(size.rows);
      return [`${size.columns}x${size.rows}`, ...lines].join("\n");
    });
    await expect(`${frames.join("\n\n")}\n`).toMatchFileSnapshot(`${folder}${name}.txt`);
  });

  it("is drawn in ASCII alone where the terminal has no more, and tells states in words", () => {
    const ascii = makeTheme({ isAscii: true, isColoured: false });
    for (const size of sizes) {
      const text = drawScreen(modelAfter(said, size, given), ascii)
        .map(lineText)
        .join("\n");
      expect(text).not.toMatch(/[^\n\x20-\x7e]/);
    }
  });

  it("is told in sentences to a screen reader, without drawings", () => {
    const spoken = speakScreen(
      modelAfter(said, { columns: 80, rows: 24 }, { ...given, place: { ...place, isSpoken: true } }),
    );
    expect(spoken.join("\n")).not.toMatch(/[─-╿▀-◿]|[✓✗⊘◷‖]/u);
    expect(spoken.length).toBeGreaterThan(1);
    expect(spoken.length).toBeLessThan(40);
  });
});

it("a terminal that is too small says so in one line", () => {
  const lines = drawScreen(modelAfter([], { columns: 59, rows: 24 }), theme).map(lineText);
  expect(lines.map((line) => line.trim())).toEqual(["Too small: 59x24, needs 60x15"]);
});

it("what a screen reader is told of a list: place, selection, state in words", () => {
  const model = modelAfter(["jj"], { columns: 80, rows: 24 }, { place: { isSpoken: true } });
  expect(speakScreen(model)).toContain(
    "Selected: 2 of 8, run 71be90d4, action sync-crm, status needs approval, source webhook, steps 3/7, age 38s.",
  );
});

it("what a screen reader is told of a long list fits the terminal, the selected row among it", () => {
  const runs = Array.from({ length: 40 }, (_, n) => runRow(100 + n));
  const model = modelAfter(
    [{ type: "changed", runs }, "<end>"],
    { columns: 80, rows: 24 },
    { place: { isSpoken: true } },
  );
  const spoken = speakScreen(model);
  expect(spoken.reduce((sum, line) => sum + Math.ceil(line.length / 80), 0)).toBeLessThanOrEqual(24);
  expect(spoken.filter((line) => line.startsWith("Selected: 48 of 48"))).toHaveLength(1);
});

it("a screen reader is told what a decision is about, on the list and in the form", () => {
  const size = { columns: 80, rows: 24 };
  for (const said of ["2j", "2ja"]) {
    const spoken = speakScreen(modelAfter([said], size, { place: { isSpoken: true } }));
    expect(spoken).toEqual(
      expect.arrayContaining(["Asked: Write deal stage back to CRM B", "Inputs:", '"deal_id": 48213,']),
    );
    expect(spoken.reduce((sum, line) => sum + Math.ceil(line.length / 80), 0)).toBeLessThanOrEqual(24);
  }
  const inputs = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`field${n}`, "x".repeat(200)]));
  const long = modelAfter(["2", { type: "approvals", approvals: [approval(7, { inputs })] }, "ja"], size, {
    place: { isSpoken: true },
  });
  expect(speakScreen(long).join("\n")).toMatch(/"field0".*\n[^]*More follows: p shows all of it/);
});

it("the keys of the runs have room for the filter at 80 columns, and no key stands there twice", () => {
  const footer = (said: string[]) =>
    lineText(drawScreen(modelAfter(said, { columns: 80, rows: 24 }), theme).at(-1) ?? []);
  expect(footer([])).toContain(" / filter ");
  expect(footer(["/"]).match(/esc/g)).toHaveLength(1);
});

it("the pane and the field whose keys count are marked by a sign, not by colour alone", () => {
  const shown = (said: string[]) =>
    drawScreen(modelAfter(said, { columns: 80, rows: 24 }), theme)
      .map(lineText)
      .join("\n")
      .match(/>[A-Z]\w+|\w+ +> /g);
  expect(shown(["jj<enter>"])).toEqual([">STEPS"]);
  expect(shown(["jj<enter><tab>"])).toEqual([">JOURNAL"]);
  expect(shown(["2ja"])).toEqual(["Comment > "]);
});

it("where the header does not fit, the state of the connection still stands apart", () => {
  const [header = []] = drawScreen(modelAfter([], { columns: 60, rows: 15 }), theme);
  expect(lineText(header)).toMatch(/ ● live {2}:7717 $/);
});

it("text from outside steers nothing and hides nothing, wherever it is shown", () => {
  const evil = "\u001b]0;owned\u0007a\u001b[8mb\u202e\r\n\u009b2Jc";
  const size = { columns: 120, rows: 40 };
  const hostile: (Message | string)[][] = [
    [{ type: "changed", runs: [runRow(30, { action_slug: evil, error_code: evil, status: "failed" })] }],
    [
      "2j",
      {
        type: "approvals",
        approvals: [approval(7, { action_slug: evil, step_id: evil, description: evil, inputs: { [evil]: evil } })],
      },
      "a",
    ],
    [
      "jj<enter>",
      { type: "run", run: { ...detail, action_slug: evil, error: { code: evil, message: evil } } },
      {
        type: "events",
        runId: gatedId,
        events: [event(9, "step_failed", evil, { error: { code: evil, message: evil }, inputData: evil })],
      },
      "j",
    ],
    [
      "jj<enter>",
      { type: "run", run: detail },
      {
        type: "definition",
        workflowId: detail.workflow_id,
        title: evil,
        version: 1,
        definition: { nodes: [{ id: evil, type: evil, data: {} }], edges: [] },
      },
      "g",
    ],
    [{ type: "said", text: evil, isBad: true, at: now }],
    [{ type: "log", lines: [evil] }],
    [{ type: "diff", title: evil, lines: [evil] }],
    [{ type: "connection", connection: { kind: "refused", code: 403, message: evil } }],
  ];
  for (const said of hostile) {
    const model = modelAfter(said, size);
    for (const text of [...drawScreen(model, theme).map(lineText), ...speakScreen(model)]) {
      expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }
    expect(drawScreen(model, theme).every((line) => textWidth(lineText(line)) === 120)).toBe(true);
  }
});

it("a run's id is shown by its end: runs of one minute begin alike", () => {
  const [first, second] = [runId(1), runId(2)];
  expect(first.slice(0, 8)).toBe(second.slice(0, 8));
  const model = modelAfter([{ type: "runs", runs: [runRow(1), runRow(2)], total: 2, isMore: false }], {
    columns: 80,
    rows: 24,
  });
  expect(drawScreen(model, theme).map(lineText).join("\n")).toMatch(/00000002[\s\S]*00000001/);
});

import { existsSync, readFileSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { Client } from "../../../src/cli/client.ts";
import type { Terminal } from "../../../src/cli/context.ts";
import { makeTheme } from "../../../src/cli/ui/draw/theme.ts";
import { runUi } from "../../../src/cli/ui/run-ui.ts";
import { gatedId, place } from "./samples.ts";

/** The terminal UI in a process of its own, on a terminal that only counts what reaches it. */
const [socketPath = "", ended = ""] = process.argv.slice(2);

let frames = 0;
let bytes = 0;
let last = "";
const stdout = Object.assign(
  new Writable({
    write(chunk: Buffer, _, done) {
      const text = chunk.toString();
      // Ink brackets every frame with the sequences of synchronized output.
      if (text.includes("\u001b[?2026h")) frames += 1;
      bytes += chunk.length;
      last += text;
      done();
    },
  }),
  { isTTY: true, columns: 80, rows: 24 },
);
const stdin = Object.assign(new PassThrough(), {
  isTTY: true,
  setRawMode: () => stdin,
  ref: () => stdin,
  unref: () => stdin,
});
const terminal = { stdin, stdout, stderr: process.stderr, env: {} } as unknown as Terminal;
const startedAt = performance.now();
setInterval(() => {
  if (!last.includes(ended)) return void (last = last.slice(-1000));
  stdin.write("\u0003");
}, 100);
const client = new Client({ socketPath }, { signal: new AbortController().signal });
await runUi({
  client,
  place,
  theme: makeTheme({ isAscii: false, isColoured: true }),
  start: { screen: "run", runId: gatedId },
  terminal,
  logFile: "/nowhere",
});
const seconds = (performance.now() - startedAt) / 1000;
// Without the pages of Node itself, of which the system maps as many as it likes.
const anonymous = /^RssAnon:\s+(\d+) kB/m.exec(
  existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "",
);
const ownMb = Math.round(anonymous ? Number(anonymous[1]) / 1024 : process.memoryUsage.rss() / 2 ** 20);
process.stdout.write(`${JSON.stringify({ frames, bytes, seconds, ownMb })}\n`, () => {
  process.exit(0);
});

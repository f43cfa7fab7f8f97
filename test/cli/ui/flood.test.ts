import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { FakeDaemon } from "./fake-daemon.ts";
import { event, runId, runRow } from "./samples.ts";

const fixture = fileURLToPath(new URL("./flood.fixture.ts", import.meta.url));

it("5,000 events and 1,000 runs at full speed take less than 100 MB of its own and ten frames a second", async () => {
  const daemon = await FakeDaemon.start();
  const last = "the-very-last-step";
  const folder = mkdtempSync(join(tmpdir(), "stepgate-flood-"));
  const outfile = join(folder, "flood.mjs");
  const nothing = join(folder, "nothing.js");
  writeFileSync(nothing, "export default {};");
  // Bundled as the executable is: with React's production build, and without a compiler in the process.
  await build({
    entryPoints: [fixture],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    alias: { "react-devtools-core": nothing },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const child = spawn(process.execPath, [outfile, daemon.target.socketPath, last], {
    env: { ...process.env, VITEST: "", CI: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = text(child.stdout);
  const hasEnded = once(child, "exit");
  const isHeard = () => daemon.requests.some((path) => path.includes("/events?")) && daemon.followers > 0;
  while (!isHeard() && child.exitCode === null) await sleep(20);
  for (let n = 0; n < 5000; n += 50) {
    const events = Array.from({ length: 50 }, (_, i) =>
      event(n + i + 7, i % 2 === 0 ? "step_started" : "step_completed", `step-${n + i - (i % 2)}`, {
        inputData: { text: "x".repeat(200) },
      }),
    );
    daemon.sendEvents(events);
    daemon.send(
      ...Array.from({ length: 10 }, (_, i) =>
        runRow(100 + (n / 50) * 10 + i, { run_id: runId(100 + (n / 50) * 10 + i) }),
      ),
    );
    await sleep(10);
  }
  daemon.sendEvents([event(6000, "step_started", last)]);
  await hasEnded;
  rmSync(folder, { recursive: true });
  const measured = JSON.parse(await said) as { frames: number; seconds: number; ownMb: number };
  expect(measured.ownMb).toBeLessThan(process.platform === "linux" ? 100 : 150);
  // Two more for the first frame and the last: data is never drawn more often than every 100 ms.
  expect(measured.frames).toBeLessThanOrEqual(measured.seconds * 10 + 2);
  expect(measured.frames).toBeGreaterThan(3);
}, 60_000);

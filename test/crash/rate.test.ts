import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { DaemonProcess } from "../support/daemon-process.ts";
import { greet } from "../support/workflows.ts";

test(
  "a restart forgets no request of the last minute, kill -9 at most those of a second",
  { timeout: 60_000 },
  async () => {
    const daemon = await new DaemonProcess().start();
    onTestFinished(async () => {
      await daemon.stop();
      rmSync(daemon.home, { recursive: true, force: true });
    });
    const key = daemon.prepare(greet);
    const headers = { authorization: `Bearer ${key}` };
    let sent = 0;
    /** Sends requests; how many the daemon has counted then. */
    const send = async (count: number) => {
      let left = 1000;
      for (let n = 0; n < count; n++) {
        const answer = await fetch(`${daemon.url}/api/v1/runtime/actions`, { headers });
        left = Number(answer.headers.get("x-ratelimit-remaining"));
      }
      sent += count;
      return 1000 - left;
    };
    expect(await send(10)).toBe(sent);
    await daemon.stop();
    await daemon.start();
    expect(await send(10)).toBe(sent);
    await setTimeout(1_200);
    await daemon.kill();
    await daemon.start();
    expect(await send(1)).toBe(sent);
  },
);

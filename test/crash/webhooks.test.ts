import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import type { RunList } from "../../src/contract/run.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { answering, orderHook } from "../support/webhooks.ts";

/** A commit takes this long, as on a slow disk, so that a kill can fall between an answer and its commit. */
const slowCommit = { STEPGATE_CRASH_POINT: "commit.before=100" };

let daemon: DaemonProcess;

afterEach(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

function json(...args: string[]): unknown {
  return JSON.parse(daemon.command(...args, "--json"));
}

/** Publishes webhooks; their paths, since a restart takes another port. */
function publish(...texts: string[]): string[] {
  const files = texts.map((text, index) => {
    const file = join(daemon.home, `${index}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  const { published } = json("publish", ...files) as PublishResult;
  return published.map(({ webhook_url }) => new URL(webhook_url ?? "").pathname);
}

type Heard = { status: number; run_id?: string; n?: number } | null;

/** Sends an event; null when the daemon went away. */
async function send(path: string, n: number): Promise<Heard> {
  try {
    const headers = { "webhook-id": `event-${n}` };
    const answer = await fetch(daemon.url + path, { method: "POST", headers, body: JSON.stringify({ id: n }) });
    return { status: answer.status, ...((await answer.json()) as { run_id?: string; n?: number }) };
  } catch {
    return null;
  }
}

test(
  "an event that a killed daemon has acknowledged runs once, however often its sender repeats it",
  { timeout: 120_000 },
  async () => {
    daemon = await new DaemonProcess().start(slowCommit);
    const [hook = "", answers = ""] = publish(
      orderHook(),
      answering('{mode: json, body: {n: "{{trigger.output.body.id}}"}}'),
    );
    const events = Array.from({ length: 6 }, (_, n) => n);
    const [sent, asked] = [events.map(async (n) => send(hook, n)), events.map(async (n) => send(answers, n))];
    // In the middle of it all: some have their answers, some do not.
    await Promise.race([...sent, ...asked]);
    await daemon.kill();
    const [acknowledged, answered] = [await Promise.all(sent), await Promise.all(asked)];
    expect(acknowledged.some((heard) => heard?.status === 202)).toBe(true);
    await daemon.start();
    for (const n of events) {
      const again = await send(hook, n);
      expect(again?.status).toBe(202);
      if (acknowledged[n]) expect(again?.run_id).toBe(acknowledged[n].run_id);
      // Whoever was answered is answered alike; whose run lost its caller hears that.
      const reply = await send(answers, n);
      if (answered[n]?.status === 200) expect(reply).toEqual({ status: 200, n });
      else expect([200, 500]).toContain(reply?.status);
    }
    const { runs } = json("runs", "list", "--source", "webhook", "--limit", "100") as RunList;
    expect(runs).toHaveLength(2 * events.length);
    // A run whose caller was lost has failed at its answer; every other one went to its end.
    for (const { status } of runs) expect(["succeeded", "failed"]).toContain(status);
  },
);

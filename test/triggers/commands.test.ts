import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import type { Run } from "../../src/contract/run.ts";
import type { SchedulePreview } from "../../src/contract/schedule.ts";
import type { DeliveryList, TriggerDetail, TriggerList, TriggerSecret } from "../../src/contract/trigger.ts";
import { launcher } from "../support/command-line.ts";
import { PublishedDaemon } from "../support/published-daemon.ts";
import { answering, orderHook } from "../support/webhooks.ts";

const daemon = new PublishedDaemon();
let url = "";
let id = "";

beforeAll(async () => {
  await daemon.start();
  const file = join(daemon.home, "hook.yaml");
  writeFileSync(file, orderHook());
  const { published } = await daemon.json<PublishResult>("publish", file);
  url = published[0]?.webhook_url ?? "";
  id = url.split("/").at(-1) ?? "";
});
afterAll(async () => daemon.stop());

async function post(body: string, to = url): Promise<{ status: number; body: { run_id: string } }> {
  const answer = await fetch(to, { method: "POST", body });
  return { status: answer.status, body: (await answer.json()) as { run_id: string } };
}

it("triggers are listed and shown by id, workflow or name, and their address is printed", async () => {
  const { triggers } = await daemon.json<TriggerList>("triggers", "list");
  const listed = { subscription_id: id, workflow_name: "On order", kind: "webhook", status: "active", url };
  expect(triggers).toEqual([{ ...listed, workflow_id: expect.any(String), next_fire_at: null }]);
  expect(await daemon.json<TriggerDetail>("triggers", "show", "On order")).toMatchObject({ ...listed, secrets: 0 });
  expect((await daemon.run("triggers", "url", "On order")).stdout).toBe(`${url}\n`);
  expect((await daemon.run("triggers", "show", "nothing")).code).toBe(5);
});

it("a request starts a run, is listed and is delivered again", async () => {
  const answer = await post('{"id": "o-1"}');
  expect(answer.status).toBe(202);
  const { deliveries } = await daemon.json<DeliveryList>("deliveries", "list", "--trigger", id);
  expect(deliveries).toMatchObject([{ status: 202, run_id: answer.body.run_id, body: '{"id":"o-1"}' }]);
  const again = await daemon.json<Run>("deliveries", "redeliver", deliveries[0]?.id ?? "");
  expect(again).toMatchObject({ source: "webhook", input: { body: { id: "o-1" } } });
});

it("a trigger is fired by hand, and a workflow run, with JSON of the command line", async () => {
  const fired = await daemon.json<Run>("triggers", "fire", id, "--body", '{"id": 5}');
  expect(fired).toMatchObject({ source: "test", input: { body: { id: 5 } } });
  const manual = await daemon.json<Run>("workflows", "run", "On order", "--input", '{"body": {"id": 6}}');
  expect(manual).toMatchObject({ source: "manual", input: { body: { id: 6 } } });
  expect(await daemon.run("triggers", "fire", id, "--body", "{")).toMatchObject({ code: 2 });
});

it("a schedule's next firings are previewed; a webhook has none", async () => {
  const file = join(daemon.home, "report.yaml");
  const data = '{kind: schedule, mode: cron, expression: "30 7 1 1 *", timezone: Asia/Tokyo}';
  writeFileSync(file, `name: Report\nnodes:\n  - {id: trigger, type: trigger, data: ${data}}\nedges: []\n`);
  await daemon.json("publish", file);
  const preview = await daemon.json<SchedulePreview>("triggers", "preview", "Report", "--count", "2");
  expect(preview).toEqual({
    expression: "30 7 1 1 *",
    timezone: "Asia/Tokyo",
    next: [expect.stringMatching(/-12-31T22:30:00.000Z$/), expect.stringMatching(/-12-31T22:30:00.000Z$/)],
  });
  const { stdout } = await daemon.run("triggers", "preview", "Report", "--count", "1");
  expect(stdout).toMatch(/^\d{4}-12-31T22:30:00\.000Z\t\w{3} 1 Jan \d{4}, 07:30\n$/);
  expect((await daemon.run("triggers", "preview", "On order")).code).toBe(2);
  expect((await daemon.run("triggers", "preview", "nothing")).code).toBe(5);
});

it("a trigger is paused and resumed", async () => {
  expect(await daemon.json("triggers", "disable", "On order")).toMatchObject({ status: "paused" });
  expect((await post("{}")).status).toBe(409);
  expect(await daemon.json("triggers", "enable", "On order")).toMatchObject({ status: "active" });
  expect((await post("{}")).status).toBe(202);
});

it("a secret is set from a file, rotated and cleared, and never stands on the command line", async () => {
  const file = join(daemon.home, "secret.txt");
  writeFileSync(file, "the secret of this test\n");
  const refused = await daemon.run("triggers", "secret", "set", id, "the secret itself");
  expect([refused.code, refused.stderr.includes("command line")]).toEqual([2, true]);
  const set = await daemon.json<TriggerSecret>("triggers", "secret", "set", id, `@${file}`);
  expect(set).toEqual({ subscription_id: id, secrets: 1, secret: null });
  expect((await post("{}")).status).toBe(401);
  const rotated = await daemon.json<TriggerSecret>("triggers", "secret", "rotate", id);
  expect(rotated).toMatchObject({ secrets: 2, secret: expect.stringMatching(/^whsec_.{44}$/) });
  expect((await daemon.run("triggers", "secret", "clear", id)).code).toBe(2);
  expect(await daemon.json("triggers", "secret", "clear", id, "--yes")).toMatchObject({ secrets: 0 });
  expect((await post("{}")).status).toBe(202);
});

it("requests are printed as they come, each once", async () => {
  const listener = spawn(launcher, ["triggers", "listen", "On order", "--jsonl"], {
    env: { ...process.env, STEPGATE_HOME: daemon.home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const sent: string[] = [];
  // What was sent before it listened is not printed.
  const sending = setInterval(() => void post("{}").then(({ body }) => sent.push(body.run_id)), 100);
  const heard: string[] = [];
  for await (const line of createInterface({ input: listener.stdout })) {
    heard.push((JSON.parse(line) as { run_id: string }).run_id);
    if (heard.length === 4) break;
  }
  clearInterval(sending);
  listener.kill("SIGINT");
  await once(listener, "exit");
  const from = sent.indexOf(heard[0] ?? "");
  expect(heard).toEqual(sent.slice(from, from + 4));
});

it("a workflow answers its caller over the network, and a caller who leaves harms nothing", async () => {
  const file = join(daemon.home, "answer.yaml");
  writeFileSync(file, answering('{mode: json, statusCode: 201, body: {hello: "{{trigger.output.body.name}}"}}'));
  const { published } = await daemon.json<PublishResult>("publish", file);
  const to = published[0]?.webhook_url ?? "";
  const answer = await fetch(to, { method: "POST", body: '{"name": "Ada"}' });
  expect([answer.status, await answer.json()]).toEqual([201, { hello: "Ada" }]);
  const gone = new AbortController();
  const left = fetch(to, { method: "POST", body: "{}", signal: gone.signal }).catch(() => null);
  gone.abort();
  await left;
  expect((await fetch(to, { method: "POST", body: '{"name": "Bob"}' })).status).toBe(201);
});

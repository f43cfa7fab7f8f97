import { createHmac } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Channel,
  type Notification,
  commandChannel,
  createChannels,
  webhookChannel,
} from "../../src/daemon/notify/channels.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep, policy, waitFor } from "../support/time-workflows.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hour = 3_600_000;
const gated = flow(
  "gated",
  [
    {
      id: "pay",
      type: "set",
      data: keep(
        "{{action_input.who}}",
        `requireApproval: true, approvalDescription: "Pay <b>{{action_input.who}}</b>"`,
      ),
    },
  ],
  ["action_input -> pay", "pay -> done"],
);
const failing = flow(
  "failing",
  [{ id: "stop", type: "stop_and_error", data: `{errorMessage: "no"}` }],
  ["action_input -> stop", "action_input -> done"],
);

async function driver(options = {}) {
  const told: Notification[] = [];
  const channel: Channel = { name: "test", send: async (notification) => void told.push(notification) };
  const runtime = await testRuntime({ channels: [channel], ...options });
  for (const workflow of [gated, policy, failing]) await runtime.publish(workflow);
  return { d: new RunDriver(runtime), told };
}

describe("people are told", () => {
  test("of a request and of its expiry", async () => {
    const { d, told } = await driver();
    const id = await d.start("gated", { who: "ada" });
    expect(told).toMatchObject([
      {
        event: "approval.requested",
        run_id: id,
        step_id: "pay",
        message: "gated waits for approval of its step pay: Pay <b>ada</b>",
      },
    ]);
    expect(told[0]).not.toHaveProperty("link");
    await d.after(hour, id);
    expect(told[1]).toMatchObject({
      event: "approval.expired",
      message: "The approval request of gated expired without a decision and was auto-rejected",
    });
  });

  test("of the request of a policy", async () => {
    const { d, told } = await driver();
    const id = await d.start("policy");
    expect(told).toMatchObject([
      { event: "approval.requested", run_id: id, step_id: null, message: "policy waits for approval" },
    ]);
  });

  test("of an incident when it is opened, and of a pause", async () => {
    const { d, told } = await driver({ limits: { autoPauseAfter: 2 } });
    const first = await d.start("failing");
    await d.start("failing");
    expect(told.map(({ event }) => event)).toEqual(["incident.opened", "workflow.paused"]);
    expect(told[0]).toMatchObject({ run_id: first, error: { code: "WORKFLOW_STOPPED" } });
  });

  test("and a channel that fails harms nothing and is logged", async () => {
    const broken: Channel = { name: "broken", send: async () => Promise.reject(new Error("no way")) };
    const { d } = await driver({ channels: [broken] });
    const id = await d.start("gated");
    expect(await d.status(id)).toBe("waiting_for_approval");
    expect(d.test.logged.join("")).toContain("was not delivered");
  });
});

describe("a notification that can't be delivered", () => {
  /** A channel that fails as often as the test says, and keeps what reached it. */
  function failingChannel(times: number, name = "shaky") {
    const got: Notification[] = [];
    let tries = 0;
    const send = async (notification: Notification) => {
      tries += 1;
      if (tries <= times) throw new Error("no way");
      got.push(notification);
    };
    return { got, tries: () => tries, channel: { name, send } };
  }

  async function pass(d: RunDriver, ms: number, stepMs = 5000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      d.test.clock.advance(stepMs);
      await d.test.settled();
    }
  }

  test("is tried again, later and later, where it failed and nowhere else", async () => {
    const shaky = failingChannel(3);
    const sound = failingChannel(0, "sound");
    const { d } = await driver({ channels: [shaky.channel, sound.channel] });
    const id = await d.start("gated");
    expect([shaky.tries(), sound.tries()]).toEqual([1, 1]);
    await pass(d, 10_000);
    expect(shaky.tries()).toBe(2);
    await pass(d, 15_000);
    expect(shaky.tries()).toBe(2);
    await pass(d, 5_000);
    expect(shaky.tries()).toBe(3);
    await pass(d, 40_000);
    expect([shaky.tries(), sound.tries()]).toEqual([4, 1]);
    expect(shaky.got).toMatchObject([{ run_id: id, id: sound.got[0]?.id, created_at: "2026-01-15T10:00:00.000Z" }]);
    expect(await d.test.store.listMoments("notice")).toEqual([]);
  });

  test("is given up after six hours, with a line in the log", async () => {
    const broken = failingChannel(Infinity);
    const { d } = await driver({ channels: [broken.channel] });
    await d.start("failing");
    await pass(d, 5.5 * hour, 60_000);
    expect(await d.test.store.listMoments("notice")).toHaveLength(1);
    expect(d.test.logged.join("")).not.toContain("given up");
    await pass(d, hour, 60_000);
    expect(await d.test.store.listMoments("notice")).toEqual([]);
    expect(d.test.logged.join("")).toContain("given up");
    expect(broken.tries()).toBeLessThan(40);
  });

  test("outlives the daemon that was about to deliver it", async () => {
    const before: string[] = [];
    const told: Notification[] = [];
    let isDying = true;
    const channel: Channel = {
      name: "test",
      send: async (notification) => {
        if (!isDying) return void told.push(notification);
        before.push(notification.id);
        return new Promise(() => undefined);
      },
    };
    const { d } = await driver({ channels: [channel] });
    const id = await d.start("gated");
    isDying = false;
    await d.test.restart(60_000);
    await d.test.settled();
    expect(told).toMatchObject([{ event: "approval.requested", run_id: id, id: before[0] }]);
    await d.test.restart(60_000);
    await d.test.settled();
    expect(told).toHaveLength(1);
  });

  test("is not tried again when its request has been decided", async () => {
    const shaky = failingChannel(1);
    const { d } = await driver({ channels: [shaky.channel] });
    const id = await d.start("gated");
    await d.decide(id, "approved");
    await pass(d, 60_000);
    expect(shaky.tries()).toBe(1);
    expect(await d.test.store.listMoments("notice")).toEqual([]);
  });

  test("by a channel that hangs keeps no Wait from going on", async () => {
    const channel: Channel = { name: "hangs", send: async () => new Promise(() => undefined) };
    const { d } = await driver({ channels: [channel] });
    await d.test.publish(
      flow(
        "nap",
        [{ id: "rest", type: "wait", data: waitFor(1, "minutes") }],
        ["action_input -> rest", "rest -> done"],
      ),
    );
    await d.start("gated");
    const nap = await d.start("nap");
    expect((await d.after(60_000, nap)).status).toBe("succeeded");
  });
});

const sample = {
  id: "n1",
  event: "approval.requested",
  message: "hi",
  run_id: "r",
  action_slug: null,
  created_at: "now",
};

describe("a channel", () => {
  test("command hands the notification to a program on its stdin", async () => {
    const folder = temporaryFolder();
    const program = join(folder, "tell");
    writeFileSync(program, `#!/bin/sh\ncat > "${folder}/told.json"\n`);
    chmodSync(program, 0o700);
    await commandChannel(program).send(sample);
    expect(JSON.parse(readFileSync(join(folder, "told.json"), "utf8"))).toEqual(sample);
    await expect(commandChannel(join(folder, "missing")).send(sample)).rejects.toThrow("ENOENT");
  });

  test("desktop shows its sentence through the program of the platform, as one argument", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stepgate-notify-"));
    const path = process.env["PATH"];
    onTestFinished(() => {
      process.env["PATH"] = path;
      rmSync(folder, { recursive: true });
    });
    for (const name of ["notify-send", "osascript"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$0" "$@" > "${folder}/shown.txt"\n`);
      chmodSync(join(folder, name), 0o700);
    }
    process.env["PATH"] = `${folder}:${path ?? ""}`;
    const settings = { command: null, webhook: null, webhookSecret: null, desktop: true };
    const [channel] = createChannels(settings, { fetch, now: () => new Date(0) });
    await channel?.send({ ...sample, message: `--help "$(id)" \`id\`` });
    const shown = readFileSync(join(folder, "shown.txt"), "utf8").trimEnd().split("\n");
    expect(shown[0]).toBe(join(folder, process.platform === "darwin" ? "osascript" : "notify-send"));
    expect(shown.at(-1)).toBe(`--help "$(id)" \`id\``);
    for (const name of ["notify-send", "osascript"]) writeFileSync(join(folder, name), "#!/bin/sh\nexit 3\n");
    const failure: unknown = await channel?.send({ ...sample, message: "pay Ada" }).catch((error: unknown) => error);
    expect(inspect(failure)).toMatch(/(notify-send|osascript) ended with exit code 3/);
    // It goes to the log, which is nobody's to read about payments in.
    expect(inspect(failure)).not.toContain("Ada");
    rmSync(join(folder, "notify-send"));
    rmSync(join(folder, "osascript"));
    process.env["PATH"] = folder;
    await expect(channel?.send(sample)).rejects.toThrow("ENOENT");
  });

  test("webhook posts it, signed", async () => {
    const calls: [string, RequestInit][] = [];
    const fetch = async (url: unknown, init?: RequestInit) => {
      calls.push([String(url), init ?? {}]);
      return new Response("", { status: calls.length === 1 ? 200 : 500 });
    };
    const secret = `whsec_${Buffer.from("a secret").toString("base64")}`;
    const channel = webhookChannel("https://example.com/hook", secret, {
      fetch,
      now: () => new Date(5000),
    });
    await channel.send(sample);
    const [url, init] = calls[0] ?? ["", {}];
    const mac = createHmac("sha256", "a secret")
      .update(`n1.5.${JSON.stringify(sample)}`)
      .digest("base64");
    expect(url).toBe("https://example.com/hook");
    expect(init.headers).toMatchObject({
      "webhook-id": "n1",
      "webhook-timestamp": "5",
      "webhook-signature": `v1,${mac}`,
    });
    await expect(channel.send(sample)).rejects.toThrow("answered 500");
  });
});

describe("a signed link", () => {
  async function linked(approvals = {}) {
    const { d, told } = await driver({ approvals: { links: true, ...approvals } });
    const id = await d.start("gated", { who: "ada" });
    const { pathname } = new URL(told[0]?.link ?? "");
    const visit = async () => d.test.request("GET", `/${pathname}`);
    const send = async (body: string, headers = {}) =>
      d.test.request("POST", `/${pathname}`, {
        body,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      });
    return { d, id, pathname, visit, send };
  }

  test("shows the request and changes nothing, however often it is fetched", async () => {
    const { d, id, visit } = await linked();
    const before = await d.read(id);
    for (let n = 0; n < 50; n += 1) {
      const page = await visit();
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      // Under no-referrer a browser would send the form with `Origin: null`, which is foreign.
      expect(page.headers.get("referrer-policy")).toBe("same-origin");
      expect(await page.text()).toContain("Pay &#60;b&#62;ada&#60;/b&#62;");
    }
    expect(await d.read(id)).toEqual(before);
    expect(await d.audit()).toEqual([]);
  });

  test("decides with the page's form, once, and shows the final state from then on", async () => {
    const { d, id, visit, send } = await linked();
    expect((await send("decision=maybe")).status).toBe(400);
    expect((await send("decision=approved", { origin: "https://evil.example" })).status).toBe(403);
    expect(await d.status(id)).toBe("waiting_for_approval");
    expect(await (await send("decision=approved&comment=fine")).text()).toContain("Approved");
    // In the name of the user of this machine, whose channels the links go to.
    expect(await d.read(id)).toMatchObject({
      status: "succeeded",
      approval: { decided_via: "link", user_id: "tester", comment: "fine" },
    });
    expect(await (await send("decision=rejected")).text()).toContain("Approved");
    expect(await (await visit()).text()).not.toContain("<form");
    expect(await d.audit()).toHaveLength(1);
  });

  test("approves nothing that its user may not approve, and says so", async () => {
    const { d, id, send } = await linked({ selfDecision: false });
    const page = await send("decision=approved");
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("another user has to approve it");
    expect(await d.status(id)).toBe("waiting_for_approval");
    expect(await (await send("decision=rejected")).text()).toContain("Rejected");
  });

  test("that expired answers 410, and a forged one 404", async () => {
    const { d, id, pathname, visit, send } = await linked();
    const forged = `${pathname.slice(0, -2)}${pathname.endsWith("AA") ? "BB" : "AA"}`;
    expect((await d.test.request("GET", `/${forged}`)).status).toBe(404);
    await d.after(hour, id);
    expect([(await visit()).status, (await send("decision=approved")).status]).toEqual([410, 410]);
    expect(await d.status(id)).toBe("timed_out");
  });

  test("is not there unless it is switched on", async () => {
    const { d } = await driver();
    expect((await d.test.request("GET", "//approvals/1.x.y")).status).toBe(404);
    expect(await (await d.test.request("GET", "//approvals/1.x.y")).json()).toMatchObject({ code: "NOT_FOUND" });
  });
});

test("where decisions take a key, the control channel decides nothing", async () => {
  const { d } = await driver({ approvals: { requireKey: true } });
  const id = await d.start("gated");
  const path = `/api/v1/runtime/runs/${id}/approve`;
  expect(await d.test.control("POST", path, { decision: "approved" })).toMatchObject({
    status: 403,
    body: { code: "FORBIDDEN" },
  });
  expect((await d.decide(id, "approved")).status).toBe(200);
});

test("where self-decision is off, the user who started a run can't approve it, another user can", async () => {
  const { d } = await driver({ approvals: { selfDecision: false } });
  const id = await d.start("gated");
  const refused = await d.decide(id, "approved");
  expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  const other = await d.test.mintKey(["approvals:decide"], { name: "other", user: "somebody else" });
  const path = `/runs/${id}/approve`;
  expect((await d.test.post(path, { decision: "approved" }, other.secret)).status).toBe(200);
});

test("where self-decision is off, the user who started a run can still reject it", async () => {
  const { d } = await driver({ approvals: { selfDecision: false } });
  const id = await d.start("gated");
  expect((await d.decide(id, "rejected")).status).toBe(200);
});

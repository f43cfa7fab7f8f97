import { createHmac } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Channel, type Notification, commandChannel, webhookChannel } from "../../src/daemon/notify/channels.ts";
import { RunDriver } from "../support/run-driver.ts";
import { testRuntime } from "../support/runtime.ts";
import { flow, keep } from "../support/time-workflows.ts";

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
const policy = flow("policy", [], ["action_input -> done"], "approval_policy: always");
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
    const folder = mkdtempSync(join(tmpdir(), "stepgate-notify-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, "tell");
    writeFileSync(program, `#!/bin/sh\ncat > "${folder}/told.json"\n`);
    chmodSync(program, 0o700);
    await commandChannel(program).send(sample);
    expect(JSON.parse(readFileSync(join(folder, "told.json"), "utf8"))).toEqual(sample);
    await expect(commandChannel(join(folder, "missing")).send(sample)).rejects.toThrow("ENOENT");
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
  async function linked() {
    const { d, told } = await driver({ approvals: { links: true } });
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
    expect(await d.read(id)).toMatchObject({ status: "succeeded", approval: { decided_via: "link", comment: "fine" } });
    expect(await (await send("decision=rejected")).text()).toContain("Approved");
    expect(await (await visit()).text()).not.toContain("<form");
    expect(await d.audit()).toHaveLength(1);
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

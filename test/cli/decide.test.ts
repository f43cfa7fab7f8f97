import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApprovalDetail } from "../../src/contract/approval.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { type Ended, stepgate } from "../support/command-line.ts";
import { DaemonProcess } from "../support/daemon-process.ts";

const gated = `
name: Gated
slug: gated
nodes:
  - {id: action_input, type: action_input, data: {properties: [{name: to, type: string, required: true}]}}
  - {id: mail, type: set, data: {requireApproval: true, assignments: [{id: a, key: to, value: "{{action_input.to}}"}]}}
  - {id: done, type: return_output, data: {}}
edges: [action_input -> mail, mail -> done]
`;

const daemon = new DaemonProcess();
let secret = "";
beforeAll(async () => {
  await daemon.start();
  secret = daemon.prepare(gated, "--scope", "runs:read", "--scope", "approvals:decide");
  writeFileSync(join(daemon.home, "always.yaml"), gated.replaceAll("ated", "uarded") + "approval_policy: always\n");
  daemon.command("publish", join(daemon.home, "always.yaml"));
});
afterAll(async () => {
  await daemon.stop();
  rmSync(daemon.home, { recursive: true, force: true });
});

const run = async (...args: string[]): Promise<Ended> => stepgate(daemon.home, args);
const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await run(...args, "--json")).stdout);

/** A run that waits for its approval. */
async function pending(to: string, slug = "gated"): Promise<RunDetail> {
  return json<RunDetail>("run", slug, "-i", `to=${to}`, "--wait");
}

/** As a person would: `jq -cSj .inputs | sha256sum`. */
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const mailTo = (to: string) =>
  digestOf(`{"assignments":[{"id":"a","key":"to","value":"${to}"}],"includeInputFields":false}`);

it("--expect-input-sha256 binds a decision to the true inputs, also where they are shown redacted", async () => {
  const { run_id, approval } = await pending("ada@example.com");
  expect(JSON.stringify(approval)).not.toContain("ada@example.com");
  expect(await json("status")).toMatchObject({ pending_approvals: 1 });
  const shown = await json<ApprovalDetail>("approvals", "show", run_id);
  expect([shown.redacted_count, shown.inputs_sha256]).toEqual([1, mailTo("ada@example.com")]);
  const other = await run("approve", run_id, "--expect-input-sha256", mailTo("eve@example.com"), "--json");
  expect([other.code, JSON.parse(other.stderr)]).toEqual([
    6,
    expect.objectContaining({ code: "CONFLICT", error: expect.stringContaining("nothing was decided") }),
  ]);
  expect((await json<ApprovalDetail>("approvals", "show", run_id)).status).toBe("pending");
  const { code } = await run("approve", run_id, "--expect-input-sha256", mailTo("ada@example.com").toUpperCase());
  expect(code).toBe(0);
  expect((await run("approve", run_id, "--expect-input-sha256", "abc")).code).toBe(2);
});

it("the digest of a gate before the whole run is that of its true input", async () => {
  const { run_id } = await pending("ada@example.com", "guarded");
  const shown = await json<ApprovalDetail>("approvals", "show", run_id);
  expect(shown).toMatchObject({ step_id: null, inputs_sha256: digestOf('{"to":"ada@example.com"}') });
});

it("another daemon tells no digest of what it hides, and decides by what it shows", async () => {
  const remote = async (runId: string, to: string) =>
    stepgate(daemon.home, ["approve", runId, "--expect-input-sha256", mailTo(to), "--url", daemon.url], {
      env: { STEPGATE_API_KEY: secret },
    });
  expect((await remote((await pending("ada@example.com")).run_id, "ada@example.com")).code).toBe(6);
  expect((await remote((await pending("Ada")).run_id, "Ada")).code).toBe(0);
});

it.each(["-m", "--comment", "--message"])("a decision takes its comment with %s", async (flag) => {
  const { run_id } = await pending("Ada");
  expect((await run("reject", run_id, flag, "wrong owner")).code).toBe(0);
  expect((await json<RunDetail>("runs", "show", run_id)).approval).toMatchObject({
    status: "rejected",
    comment: "wrong owner",
  });
  expect((await run("reject", run_id, flag, "a", "--comment-file", "b")).code).toBe(2);
});

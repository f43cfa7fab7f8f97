import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifySignature } from "../../src/engine/webhooks/verify-signature.ts";
import { type TestRuntime, testRuntime } from "../support/runtime.ts";
import { countRuns, orderHook, publishHook, send, signStandard } from "../support/webhooks.ts";

const request = (body: string, headers: Record<string, string>) => ({
  body: Buffer.from(body),
  headers: new Headers(headers),
});

describe("published examples", () => {
  test("Standard Webhooks: the vector of its specification's libraries", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const signed = request('{"test": 2432232314}', headers);
    expect(verifySignature(signed, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], 1_614_265_330_000)).toBe(true);
    expect(verifySignature(signed, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSX"], 1_614_265_330_000)).toBe(false);
  });

  test("Standard Webhooks: whatever its library signs", () => {
    const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
    const at = new Date("2026-01-15T10:00:00Z");
    const signature = new Webhook(secret).sign("msg_1", at, "{}");
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(at.getTime() / 1000),
      "webhook-signature": `v1a,xyz v1,AAAA ${signature}`,
    };
    expect(verifySignature(request("{}", headers), [secret], at.getTime())).toBe(true);
  });

  test("GitHub: the example of its documentation", () => {
    const headers = {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    expect(verifySignature(request("Hello, World!", headers), ["It's a Secret to Everybody"], 0)).toBe(true);
    expect(verifySignature(request("Hello, World?", headers), ["It's a Secret to Everybody"], 0)).toBe(false);
  });

  test("Stripe: made as its documentation says, the whole secret being the key", () => {
    const secret = "whsec_test_secret";
    const body = '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}';
    const mac = createHmac("sha256", secret).update(`12345.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=12345,v1=${"0".repeat(64)},v1=${mac},v0=ffff` };
    expect(verifySignature(request(body, headers), [secret], 12_345_000)).toBe(true);
    expect(verifySignature(request(body, headers), [secret], 12_345_000 + 301_000)).toBe(false);
    expect(verifySignature(request(body, { "stripe-signature": `v1=${mac}` }), [secret], 12_345_000)).toBe(false);
  });
});

const secret = `whsec_${Buffer.from("a secret of this test alone").toString("base64")}`;
const key = Buffer.from("a secret of this test alone");
const start = "2026-01-15T10:00:00.000Z";
const seconds = Date.parse(start) / 1000;
const body = '{"id": "o-1"}';

async function signedHook(): Promise<{ runtime: TestRuntime; path: string; id: string }> {
  const runtime = await testRuntime({ now: start });
  return { runtime, ...(await publishHook(runtime, orderHook(`secret: "${secret}"`))) };
}

const refused = { status: 401, body: { error: "Invalid webhook signature", code: "UNAUTHORIZED" } };

describe("a webhook with a secret", () => {
  test("takes a request that is signed with it", async () => {
    const { runtime, path } = await signedHook();
    expect((await send(runtime, path, body, signStandard(key, "msg-1", seconds, body))).status).toBe(202);
    const github = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    expect((await send(runtime, path, body, { "x-hub-signature-256": github })).status).toBe(202);
    const stripe = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
    expect((await send(runtime, path, body, { "stripe-signature": `t=${seconds},v1=${stripe}` })).status).toBe(202);
  });

  const good = signStandard(key, "msg-1", seconds, body);
  const wrong: [what: string, headers: Record<string, string>, sent?: string][] = [
    ["without a signature", {}],
    ["signed with another key", signStandard(Buffer.from("another"), "msg-1", seconds, body)],
    ["with an altered byte", good, body.replace("o-1", "o-2")],
    ["with other white space", good, `${body} `],
    ["301 s old", signStandard(key, "msg-1", seconds - 301, body)],
    ["301 s ahead", signStandard(key, "msg-1", seconds + 301, body)],
    ["under another id", { ...good, "webhook-id": "msg-2" }],
    ["without its id", { ...good, "webhook-id": "" }],
    ["without its time", { ...good, "webhook-timestamp": "" }],
    ["with a time that is none", signStandard(key, "msg-1", Number.NaN, body)],
    ["of another version", { ...good, "webhook-signature": (good["webhook-signature"] ?? "").replace("v1,", "v2,") }],
    ["with a part of the signature", { ...good, "webhook-signature": (good["webhook-signature"] ?? "").slice(0, 20) }],
    ["with SHA-1 alone", { "x-hub-signature": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}` }],
  ];
  test.each(wrong)("refuses a request %s, and starts nothing", async (_, headers, sent = body) => {
    const { runtime, path } = await signedHook();
    expect(await send(runtime, path, sent, headers)).toMatchObject(refused);
    expect(await countRuns(runtime)).toBe(0);
  });

  test("takes no empty key, where nothing follows the prefix of its secret", async () => {
    const runtime = await testRuntime({ now: start });
    const { path } = await publishHook(runtime, orderHook('secret: "whsec_"'));
    expect(await send(runtime, path, body, signStandard(Buffer.alloc(0), "msg-1", seconds, body))).toMatchObject(
      refused,
    );
  });

  test("takes a request 300 s old and 300 s ahead", async () => {
    const { runtime, path } = await signedHook();
    for (const [id, at] of [["a", seconds - 300] as const, ["b", seconds + 300] as const]) {
      expect((await send(runtime, path, body, signStandard(key, id, at, body))).status).toBe(202);
    }
  });

  test("takes the old and the new one while it rotates, and the new one alone afterwards", async () => {
    const { runtime, path, id } = await signedHook();
    const rotated = await runtime.control<{ secret: string; secrets: number }>(
      "POST",
      `/control/triggers/${id}/secret`,
      {
        action: "rotate",
      },
    );
    expect(rotated.body).toMatchObject({ secrets: 2, secret: expect.stringMatching(/^whsec_/) });
    const newKey = Buffer.from(rotated.body.secret.slice("whsec_".length), "base64");
    expect((await send(runtime, path, body, signStandard(key, "m1", seconds, body))).status).toBe(202);
    expect((await send(runtime, path, body, signStandard(newKey, "m2", seconds, body))).status).toBe(202);
    await runtime.control("POST", `/control/triggers/${id}/secret`, { action: "set", secret: rotated.body.secret });
    expect(await send(runtime, path, body, signStandard(key, "m3", seconds, body))).toMatchObject(refused);
    expect((await send(runtime, path, body, signStandard(newKey, "m4", seconds, body))).status).toBe(202);
    const cleared = await runtime.control("POST", `/control/triggers/${id}/secret`, { action: "clear" });
    expect(cleared.body).toMatchObject({ secrets: 0, secret: null });
    expect((await send(runtime, path, body)).status).toBe(202);
  });

  test("reads it from the workspace's secrets at each request; without that it refuses everything, and the log says why", async () => {
    const runtime = await testRuntime({ now: start });
    await runtime.control("POST", "/control/secrets/HOOK", { value: secret });
    const { path, id } = await publishHook(runtime, orderHook('secret: "{{secret.HOOK}}"'));
    expect((await send(runtime, path, body, signStandard(key, "m1", seconds, body))).status).toBe(202);
    expect(await send(runtime, path, body)).toMatchObject(refused);
    await runtime.control("POST", "/control/secrets/HOOK/remove");
    expect(await send(runtime, path, body, signStandard(key, "m2", seconds, body))).toMatchObject(refused);
    const log = await runtime.control<{ deliveries: object[] }>("GET", "/control/deliveries");
    expect(log.body.deliveries[0]).toMatchObject({ status: 401, reason: expect.stringContaining("HOOK") });
    expect((await runtime.control("GET", `/control/triggers/${id}`)).body).toMatchObject({ secrets: null });
  });

  test("of one workspace does not open another's", async () => {
    const { runtime, path } = await signedHook();
    await runtime.control("POST", "/control/workspaces", { name: "other", tier: "business" });
    const files = [{ file: "other.yaml", text: orderHook('secret: "another one"') }];
    const other = { "x-stepgate-workspace": "other" };
    const { body: published } = await runtime.control<{ published: { webhook_url: string }[] }>(
      "POST",
      "/control/publish",
      { files },
      other,
    );
    const elsewhere = `/${new URL(published.published[0]?.webhook_url ?? "").pathname}`;
    const headers = signStandard(key, "m1", seconds, body);
    expect(await send(runtime, elsewhere, body, headers)).toMatchObject(refused);
    expect((await send(runtime, path, body, headers)).status).toBe(202);
  });
});

describe("an event that was seen before", () => {
  test("returns the first run and starts nothing, for 24 hours, in its subscription alone", async () => {
    const runtime = await testRuntime({ now: start });
    const { path, id } = await publishHook(runtime, orderHook());
    const other = await publishHook(runtime, orderHook("", "Another"));
    for (const name of ["webhook-id", "x-github-delivery"]) {
      const headers = { [name]: `event of ${name}` };
      const first = await send(runtime, path, { id: 1 }, headers);
      const before = await countRuns(runtime);
      expect((await send(runtime, path, { id: 2 }, headers)).body).toEqual(first.body);
      // Also while it is paused: the sender asks what became of its event.
      await runtime.control("POST", `/control/triggers/${id}/disable`);
      expect((await send(runtime, path, { id: 2 }, headers)).body).toEqual(first.body);
      await runtime.control("POST", `/control/triggers/${id}/enable`);
      expect(await countRuns(runtime)).toBe(before);
      expect((await send(runtime, other.path, {}, headers)).body.run_id).not.toBe(first.body.run_id);
      runtime.clock.advance(24 * 3_600_000 + 1);
      expect((await send(runtime, path, {}, headers)).body.run_id).not.toBe(first.body.run_id);
    }
  });

  test("that comes twice at once starts one run", async () => {
    const runtime = await testRuntime({ now: start });
    const { path } = await publishHook(runtime, orderHook());
    const headers = { "webhook-id": "once" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(runtime, path, {}, headers)));
    expect(new Set(answers.map(({ status, body: { run_id } }) => `${status} ${run_id}`)).size).toBe(1);
    expect(await countRuns(runtime)).toBe(1);
  });

  test("without an id is never taken for another one", async () => {
    const runtime = await testRuntime({ now: start });
    const { path } = await publishHook(runtime, orderHook());
    await send(runtime, path, { id: 1 });
    await send(runtime, path, { id: 1 });
    expect(await countRuns(runtime)).toBe(2);
  });
});

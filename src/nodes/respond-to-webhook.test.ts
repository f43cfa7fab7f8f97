import { describe, expect, it } from "vitest";
import { bindNode, checkNode, runNode } from "../../test/support/run-node.ts";
import { respondToWebhook } from "./respond-to-webhook.ts";

const around = { awaitsResponse: true, outputs: { trigger: { id: 7, name: "Ada", list: [1], code: 404 } } };
const json = { "content-type": "application/json" };
const plain = { "content-type": "text/plain; charset=utf-8" };

describe("respond_to_webhook", () => {
  const answers: [data: object, answer: object][] = [
    [
      { mode: "json", body: "{{trigger.list}}" },
      { status: 200, headers: json, body: "[1]" },
    ],
    [
      { mode: "json", body: '{"id": {{trigger.id}}}' },
      { status: 200, headers: json, body: '{"id": 7}' },
    ],
    [
      { mode: "json", body: { a: ["{{trigger.name}}", true] } },
      { status: 200, headers: json, body: '{"a":["Ada",true]}' },
    ],
    [
      { mode: "json", body: null },
      { status: 200, headers: json, body: "null" },
    ],
    [
      { mode: "text", body: "{{trigger.name}}!" },
      { status: 200, headers: plain, body: "Ada!" },
    ],
    [
      { mode: "text", body: "{{trigger.list}}" },
      { status: 200, headers: plain, body: "[1]" },
    ],
    [{ mode: "text" }, { status: 200, headers: plain, body: "" }],
    [
      { mode: "text", statusCode: "{{trigger.code}}", body: "no" },
      { status: 404, headers: plain, body: "no" },
    ],
    [
      { mode: "no_body", body: "x", headers: { "X-Id": "{{trigger.id}}" } },
      { status: 200, headers: { "x-id": "7" }, body: null },
    ],
    [
      { mode: "text", headers: { "Content-Type": "text/csv" }, body: "a" },
      { status: 200, headers: { "content-type": "text/csv" }, body: "a" },
    ],
  ];
  it.each(answers)("%j answers with %j", async (data, answer) => {
    const output = { responded: true, statusCode: (answer as { status: number }).status };
    expect(await runNode(respondToWebhook, data, around)).toEqual({ kind: "respond", answer, output });
  });

  const failures: [data: object, message: RegExp][] = [
    [{ mode: "json", body: "{{trigger.name}}" }, /valid JSON: Ada/],
    [{ mode: "json", body: "{{trigger.gone}}" }, /valid JSON: nothing/],
    [{ mode: "text", statusCode: "{{trigger.name}}" }, /100 to 599: Ada/],
    [{ mode: "text", statusCode: 199 }, /199 announces/],
    [{ mode: "text", headers: { a: "{{trigger.gone}}\n" } }, /value of a/],
  ];
  it.each(failures)("%j fails", async (data, message) => {
    expect(await runNode(respondToWebhook, data, around)).toMatchObject({
      kind: "fail",
      error: { code: "VALIDATION_ERROR", message: expect.stringMatching(message) },
    });
  });

  it("fails where nobody waits", async () => {
    const run = runNode(respondToWebhook, { mode: "text" }, { ...around, awaitsResponse: false });
    await expect(run).rejects.toThrow("respond_to_webhook: no pending HTTP response");
  });

  const findings: [data: object, found: string[]][] = [
    [{ mode: "json" }, ["error /body: mode json needs a body: a value, a template, or a text that is valid JSON"]],
    [
      { mode: "text", statusCode: 100 },
      [
        "warning /statusCode: A status below 200 announces another answer and can't be the last one: the step would fail",
      ],
    ],
    [
      { mode: "text", headers: { "Set-Cookie": "{{trigger.a}}" } },
      ["error /headers/Set-Cookie: A workflow may not set set-cookie"],
    ],
    [{ mode: "text", headers: { "a b": "c" } }, ['error /headers/a b: "a b" is not the name of a header']],
    [{ mode: "text", statusCode: 599 }, []],
  ];
  it.each(findings)("%j is published with %j", (data, found) => {
    expect(checkNode(respondToWebhook, data)).toEqual(found);
  });

  it.each([99, 600, 200.5, "200"])("the status %j is refused", (statusCode) => {
    expect(checkNode(respondToWebhook, { mode: "text", statusCode })).toHaveLength(1);
  });

  it("goes on after it", () => {
    expect(bindNode(respondToWebhook, { mode: "text" })).toMatchObject({ sources: ["default"], effects: "none" });
  });
});

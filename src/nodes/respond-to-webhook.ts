import * as z from "zod";
import { headerProblem } from "../contract/webhook.ts";
import { type ConfigFinding, defineNode, fail } from "../engine/node.ts";
import { buildAnswer } from "../engine/webhooks/build-answer.ts";

const statusTemplate = z.string().regex(/\{\{/, "must be a whole number from 100 to 599, or a template");

/**
 * Answers the caller of a webhook in respond-node mode (spec 2.10). The engine sends the answer when the step's end is
 * durable, so that nobody hears of what a crash could undo.
 */
export const respondToWebhook = defineNode({
  type: "respond_to_webhook",
  title: "Respond to Webhook",
  group: "Utilities",
  summary:
    "Answers the caller of a webhook whose trigger says `respondMode: respond_node`. Output: `{responded: true, statusCode}`.",
  config: z.strictObject({
    mode: z.enum(["json", "text", "no_body"]).describe("What the body is sent as"),
    statusCode: z
      .union([z.int().min(100).max(599), statusTemplate])
      .default(200)
      .describe("HTTP status of the answer, 100 to 599"),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe("Further headers; cookies and those of the connection are refused"),
    body: z
      .unknown()
      .optional()
      .describe("json: a value, or a text that is valid JSON; text: sent as it is; no_body: ignored"),
  }),
  templates: ["/statusCode", "/headers/*", "/body/**"],
  ignores: ["maxRetries"],
  check: ({ mode, statusCode, headers = {}, body }) => [
    ...(mode === "json" && body === undefined ? [missingBody] : []),
    ...(typeof statusCode === "number" && statusCode < 200 ? [interimStatus] : []),
    ...Object.entries(headers).flatMap(([name, value]) => checkHeader(name, value)),
  ],
  run({ config, run }) {
    if (!run.awaitsResponse) throw new Error("respond_to_webhook: no pending HTTP response");
    const built = buildAnswer(config);
    if ("problem" in built) return fail("VALIDATION_ERROR", `Can't respond: ${built.problem}`);
    const { answer } = built;
    return { kind: "respond", answer, output: { responded: true, statusCode: answer.status } };
  },
});

const missingBody: ConfigFinding = {
  severity: "error",
  code: "missing_body",
  message: "mode json needs a body: a value, a template, or a text that is valid JSON",
  pointer: "/body",
};

const interimStatus: ConfigFinding = {
  severity: "warning",
  code: "interim_status",
  message: "A status below 200 announces another answer and can't be the last one: the step would fail",
  pointer: "/statusCode",
};

function checkHeader(name: string, value: string): ConfigFinding[] {
  const problem = headerProblem(name, value.includes("{{") ? "" : value);
  return problem === null
    ? []
    : [{ severity: "error", code: "bad_header", message: problem, pointer: `/headers/${name}` }];
}

/** Statuses with which a webhook refuses. */
const refusals = ["400", "401", "403", "404", "409", "413", "500", "503", "504"];

/** What is served without a key, as the API's description has it: path, method and operation. */
export const openPaths: readonly [path: string, method: string, operation: { [key: string]: unknown }][] = [
  ["/healthz", "get", open("getHealth", "Whether the daemon lives", "application/json")],
  ["/readyz", "get", open("getReadiness", "200 when the daemon takes requests, else 503", "application/json", ["503"])],
  ["/metrics", "get", open("getMetrics", "Prometheus metrics, for callers on the daemon's machine", "text/plain")],
  ["/api/v1/openapi.json", "get", open("getDescription", "This description", "application/json")],
  ["/webhooks/{subscription_id}", "post", webhook()],
];

function open(
  operationId: string,
  summary: string,
  type: "application/json" | "text/plain",
  more: readonly string[] = [],
): { [key: string]: unknown } {
  const schema = type === "text/plain" ? { type: "string" } : { type: "object" };
  return {
    operationId,
    summary,
    security: [],
    // 403 is for a foreign Host or Origin, and for those who may not see metrics.
    responses: { 200: { description: summary, content: { [type]: { schema } } }, ...refused(["403", ...more]) },
  };
}

/** A webhook (contract 11). What a workflow in respond-node mode answers is its own affair: no description knows it. */
function webhook(): { [key: string]: unknown } {
  const text = { type: "string" };
  const accepted = {
    type: "object",
    required: ["accepted", "run_id"],
    properties: { accepted: { const: true }, run_id: { type: "string", format: "uuid" } },
  };
  return {
    operationId: "receiveWebhook",
    summary: "Start a run of an event-driven workflow",
    description:
      "Starts a run with the JSON of the body as `trigger.output.body`. The address is the secret; where the trigger has " +
      "a secret, the request is signed as well (Standard Webhooks, GitHub's or Stripe's form). An event whose " +
      "`webhook-id` was seen in the last 24 hours starts nothing and gets the first answer. In respond-node mode the " +
      "answer is the workflow's own; without one in 30 s it is 504.",
    security: [],
    parameters: [
      { name: "subscription_id", in: "path", required: true, description: "As publish shows it", schema: text },
      {
        name: "webhook-id",
        in: "header",
        required: false,
        description: "What the sender calls the event",
        schema: text,
      },
    ],
    requestBody: { required: false, content: { "application/json": { schema: {} } } },
    responses: {
      202: { description: "The run is durable", content: { "application/json": { schema: accepted } } },
      ...refused(refusals),
    },
  };
}

function refused(statuses: readonly string[]): { [status: string]: unknown } {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: "#/components/responses/Error" }]));
}

import { createHmac } from "node:crypto";
import type { PublishResult } from "../../src/contract/control.ts";
import type { RunDetail } from "../../src/contract/run.ts";
import { type Answer, type TestRuntime, readAnswer } from "./runtime.ts";

/** A workflow that takes orders by webhook; `trigger` is the rest of its trigger's data in YAML's flow form. */
export function orderHook(trigger = "", name = "On order"): string {
  return `
name: ${name}
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook${trigger && `, ${trigger}`}}}
  - id: order
    type: set
    data: {assignments: [{id: a, key: id, value: "{{trigger.output.body.id}}"}, {id: b, key: at, value: "{{trigger.timestamp}}"}]}
edges: [trigger -> order]
`;
}

/** A workflow that answers its caller; `respond` is the respond node's data in YAML's flow form. */
export function answering(respond: string, between = "", edges = "trigger -> answer", name = "Answering"): string {
  return `
name: ${name}
nodes:
  - {id: trigger, type: trigger, data: {kind: webhook, respondMode: respond_node}}
  ${between}
  - {id: answer, type: respond_to_webhook, data: ${respond}}
edges: [${edges}]
`;
}

/** Publishes a workflow and returns the path of its webhook as `TestRuntime.request` takes it. */
export async function publishHook(
  runtime: TestRuntime,
  text: string,
): Promise<{ path: string; id: string; workflowId: string }> {
  const published: PublishResult = await runtime.publish(text);
  const [file] = published.published;
  if (!file?.webhook_url) throw new Error(`No webhook: ${JSON.stringify(published)}`);
  const { pathname } = new URL(file.webhook_url);
  return { path: `/${pathname}`, id: pathname.split("/").at(-1) ?? "", workflowId: file.workflow_id };
}

type Body = { accepted?: boolean; run_id?: string; error?: string; code?: string };

/** Sends a request to a webhook; a body that is text is sent as it is. */
export async function send(
  runtime: TestRuntime,
  path: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readAnswer<Body>(await runtime.request("POST", path, { headers, body: text }));
}

/** The run of an answer, when it is over. */
export async function endOf(runtime: TestRuntime, { body }: Answer<Body>): Promise<RunDetail> {
  return (await runtime.get<RunDetail>(`/runs/${body.run_id}?wait=60`)).body;
}

/** How many runs there are. */
export async function countRuns(runtime: TestRuntime): Promise<number> {
  return (await runtime.store.listRuns({ workspaceId: 1, limit: 1, offset: 0 })).total;
}

/** Headers of Standard Webhooks, made with nothing but its description; `seconds` is epoch seconds. */
export function signStandard(key: Buffer, id: string, seconds: number, body: string): Record<string, string> {
  const mac = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${mac}` };
}

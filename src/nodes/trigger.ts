import * as z from "zod";
import { jsonObject } from "../contract/json.ts";
import { defineNode } from "../engine/node.ts";
import { findCronProblem } from "../engine/schedule/schedule.ts";

const webhook = z.strictObject({
  kind: z.literal("webhook").describe("What starts a run"),
  secret: z.string().min(1).optional().describe("Signatures of requests are checked with it; write `{{secret.NAME}}`"),
  secrets: z.array(z.string().min(1)).min(1).max(2).optional().describe("The new and the old one during a rotation"),
  respondMode: z
    .enum(["immediate", "respond_node"])
    .default("immediate")
    .describe("Whether callers get a 202 at once, or the answer of a Respond to Webhook node"),
});

const kind = z.literal("schedule").describe("What starts a run");
const firings = {
  missed: z.enum(["once", "skip"]).default("once").describe("Whether one firing that the daemon missed is made up"),
  overlap: z.enum(["start", "skip"]).default("start").describe("What happens while the previous run still runs"),
};

const interval = z.strictObject({
  kind,
  mode: z.literal("interval").describe("Every so many seconds, or by a cron expression"),
  seconds: z
    .int()
    .min(1)
    .max(86_400)
    .describe("Seconds from one firing to the next; at least 60 unless limits.scheduleMinSeconds says otherwise"),
  ...firings,
});

const cron = z.strictObject({
  kind,
  mode: z.literal("cron").describe("Every so many seconds, or by a cron expression"),
  expression: z
    .string()
    .regex(/^\s*(?:\S+\s+){4}\S+\s*$/, "must have 5 fields: minute, hour, day of month, month, day of week")
    .describe("Minute, hour, day of month, month, day of week"),
  timezone: z
    .string()
    .refine(isTimezone, "must be an IANA time zone such as Europe/Berlin")
    .default("UTC")
    .describe("IANA time zone"),
  ...firings,
});

const connector = z.strictObject({
  kind: z.literal("connector").describe("What starts a run"),
  connector: z.string().min(1).describe("Slug of the connector"),
  event: z.string().min(1).describe("Kind of event of that connector"),
  connectionId: z.string().min(1).optional().describe("The connection whose events count; most connectors need one"),
  params: jsonObject
    .optional()
    .describe(
      "What the event needs to know, such as a folder; `mode` (poll or webhook) says how events come, `everySeconds` how often they are asked for",
    ),
});

/** Where an event-driven workflow begins (spec 2.11, contract 2, 11, 12). No step: it writes no events. */
export const trigger = defineNode({
  type: "trigger",
  title: "Trigger",
  group: "Placeholder",
  summary:
    "Begins an event-driven workflow: a webhook, a schedule or an event of a connector. Output: the event, read as `{{trigger.output}}`.",
  config: z.discriminatedUnion("kind", [webhook, z.discriminatedUnion("mode", [interval, cron]), connector]),
  templates: ["/secret", "/secrets/*", "/params/**"],
  check(read) {
    if (read.kind !== "schedule" || read.mode !== "cron") return [];
    const problem = findCronProblem(read.expression, read.timezone, new Date(0));
    if (problem === null) return [];
    return [{ severity: "error", code: "invalid_config", message: `expression ${problem}`, pointer: "/expression" }];
  },
  targets: () => [],
});

/** Whether a name is one of the IANA's; `Intl` takes offsets such as `+03:00` too, which know no summer time. */
function isTimezone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

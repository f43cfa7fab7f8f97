import { describe, expect, it } from "vitest";
import { bindNode, checkNode } from "../../test/support/run-node.ts";
import { trigger } from "./trigger.ts";

const webhook = { kind: "webhook" };
const interval = { kind: "schedule", mode: "interval", seconds: 60 };
const cron = { kind: "schedule", mode: "cron", expression: "0 9 * * MON-FRI" };
const connector = { kind: "connector", connector: "telegram", event: "new_message", connectionId: "c1" };

describe("trigger", () => {
  it("is where a run begins: no way in, and no step", () => {
    expect(bindNode(trigger, webhook)).toMatchObject({ sources: ["default"], targets: [] });
    expect(trigger.isStep).toBe(false);
  });

  const forms: [data: object, read: object][] = [
    [webhook, { respondMode: "immediate" }],
    [{ ...webhook, secret: "{{secret.HOOK}}", respondMode: "respond_node" }, {}],
    [{ ...webhook, secrets: ["{{secret.NEW}}", "{{secret.OLD}}"] }, { respondMode: "immediate" }],
    [interval, { missed: "once", overlap: "start" }],
    [{ ...interval, seconds: 86_400, missed: "skip", overlap: "skip" }, {}],
    [cron, { timezone: "UTC", missed: "once", overlap: "start" }],
    [
      { ...cron, timezone: "Europe/Berlin" },
      { missed: "once", overlap: "start" },
    ],
    [{ ...connector, params: { chat: "{{var.CHAT}}" } }, {}],
  ];
  it.each(forms)("%j is read with the defaults %j", (data, defaults) => {
    expect(checkNode(trigger, data)).toEqual([]);
    expect(trigger.config.parse(data)).toEqual({ ...defaults, ...data });
  });

  const findings: [data: object, finding: string][] = [
    [{}, 'error /kind: kind is missing: it must be one of "webhook", "schedule", "connector"'],
    [{ kind: "email" }, 'error /kind: kind must be one of "webhook", "schedule", "connector"'],
    [{ kind: "schedule" }, 'error /mode: mode is missing: it must be one of "interval", "cron"'],
    [{ ...interval, seconds: 0 }, "error /seconds: seconds must be at least 1"],
    [{ ...interval, seconds: 86_401 }, "error /seconds: seconds must be at most 86400"],
    [{ ...interval, seconds: "60" }, "error /seconds: seconds must be a number"],
    [
      { ...cron, expression: "* * * *" },
      "error /expression: expression must have 5 fields: minute, hour, day of month, month, day of week",
    ],
    [
      { ...cron, expression: "0 * * * * *" },
      "error /expression: expression must have 5 fields: minute, hour, day of month, month, day of week",
    ],
    [
      { ...cron, expression: "0 9 * * 8" },
      "error /expression: expression is no cron expression: Invalid value for dayOfWeek: 8",
    ],
    [{ ...cron, expression: "0 0 31 2 *" }, "error /expression: expression never comes true: there is no such day"],
    [{ ...cron, timezone: "Mars/Base" }, "error /timezone: timezone must be an IANA time zone such as Europe/Berlin"],
    [{ ...cron, timezone: "+03:00" }, "error /timezone: timezone must be an IANA time zone such as Europe/Berlin"],
    [
      { ...webhook, respondMode: "later" },
      'error /respondMode: respondMode must be one of "immediate", "respond_node"',
    ],
    [{ ...webhook, secret: "" }, "error /secret: secret must be text that is not empty"],
    [{ ...webhook, secrets: ["a", "b", "c"] }, "error /secrets: secrets must be a list of at most 2"],
    [
      { ...webhook, secret: "{{secret.}}" },
      'error /secret: unexpected "}": write a plain path such as order.items[0].name or a["odd key"]',
    ],
    [{ ...webhook, seconds: 60 }, "warning /seconds: unknown"],
    [{ ...connector, event: undefined }, "error /event: event is missing: it must be text"],
  ];
  it.each(findings)("%j is answered by one finding", (data, finding) => {
    expect(checkNode(trigger, data)).toEqual([finding]);
  });
});

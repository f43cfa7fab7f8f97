import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { PublishResult } from "../../src/contract/control.ts";
import { HubspotService, appToken } from "../support/hubspot-service.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { TelegramService, botToken } from "../support/telegram-service.ts";

/** The workflow that a page shows. */
function example(page: string): string {
  const text = readFileSync(new URL(`../../docs/connectors/${page}.md`, import.meta.url), "utf8");
  return /```yaml\n([^]*?)```/.exec(text)?.[1] ?? "";
}

it.each(["telegram", "hubspot", "stepgate"])(
  "the workflow on the page of %s is published without a warning",
  async (page) => {
    const outside = await outsideRuntime();
    const telegram = await TelegramService.start();
    const hubspot = await HubspotService.start();
    const bot = { name: "bot", connector: "telegram", settings: { baseUrl: telegram.http.url } };
    await outside.addConnection({ ...bot, secrets: { token: botToken } });
    const crm = { name: "crm", connector: "hubspot", settings: { baseUrl: hubspot.http.url } };
    await outside.addConnection({ ...crm, secrets: { token: appToken } });
    const result: PublishResult = await outside.test.publish(example(page));
    expect(result.published).toMatchObject([{ warnings: [] }]);
  },
);

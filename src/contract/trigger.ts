import * as z from "zod";
import { type Json, jsonValue } from "./json.ts";

/** What an event-driven workflow listens to (contract 18); `url` is null where nobody sends anything. */
/** How the events of a connector's trigger come. `mode` is null where the connector or its event is gone. */
export type TriggerFeed = {
  connector: string;
  event: string;
  mode: "poll" | "webhook" | null;
  every_seconds: number | null;
  /** The last poll that went well, and the next one. */
  last_poll_at: string | null;
  next_poll_at: string | null;
  /** Why the last poll failed. */
  last_error: { code: string; message: string } | null;
  /** Failed polls since one went well. */
  failures: number;
  /** Where the next poll goes on. */
  cursor: Json;
};

export type TriggerBody = {
  subscription_id: string;
  workflow_id: string;
  workflow_name: string;
  kind: "webhook" | "schedule" | "connector";
  status: "active" | "paused";
  url: string | null;
  next_fire_at: string | null;
  /** Of a connector's trigger alone. */
  feed?: TriggerFeed;
};
export type TriggerList = { triggers: TriggerBody[] };

/** The same with what the deployed version says of it; a literal secret reads `[REDACTED]`. */
export type TriggerDetail = TriggerBody & {
  version: number | null;
  user_id: string;
  respond_mode: "immediate" | "respond_node" | null;
  /** How many secrets check its signatures; null where one can't be had, so that every request is refused. */
  secrets: number | null;
  config: { [key: string]: Json };
  activated_at: string;
};

/** Characters of a webhook's secret. */
const secretText = z.string().min(1).max(1000);

export const fireRequest = z.object({ body: jsonValue.optional() });
export const secretChange = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("set"), secret: secretText }),
  z.strictObject({ action: z.literal("rotate"), secret: secretText.optional() }),
  z.strictObject({ action: z.literal("clear") }),
]);
export type SecretChange = z.input<typeof secretChange>;

/** `secret` is the new one where the daemon made it; it is not shown again. */
export type TriggerSecret = { subscription_id: string; secrets: number; secret: string | null };

export const manualRunRequest = z.object({ input: jsonValue.optional() });

/** A request that came to a subscription, or was delivered again by hand. */
export type DeliveryBody = {
  id: string;
  subscription_id: string;
  /** What was answered; null while the caller waits, or when the daemon went down before. */
  status: number | null;
  run_id: string | null;
  reason: string | null;
  dedup_id: string | null;
  redelivery_of: string | null;
  bytes: number;
  /** Redacted, and cut when it is long. */
  body: string | null;
  created_at: string;
};
export type DeliveryList = { deliveries: DeliveryBody[] };

export const deliveryQuery = z.strictObject({
  trigger: z.string().optional(),
  before: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
});

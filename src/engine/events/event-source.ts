import type { Json } from "../../contract/json.ts";
import type { SubscriptionRecord } from "../../store/store.ts";
import { type Schemed, checkInput, presentInput } from "../calls/operation-input.ts";
import type { Connector, ConnectorTrigger } from "../connector.ts";
import { didYouMean } from "../definition/nearest-name.ts";
import type { Services } from "../services.ts";
import { compileConfig } from "../templates/template.ts";
import { isRecord, toText } from "../values/json.ts";

/** How events come: Stepgate asks for them, or the service sends them. */
type EventMode = "poll" | "webhook";

type Config = { readonly [key: string]: Json };

/** What a connector's trigger listens to, as a published definition says it. */
export type EventSource = {
  connector: Connector;
  trigger: ConnectorTrigger;
  mode: EventMode;
  /** From one poll to the next. */
  everyMs: number;
  connectionId: string | null;
  /** The event's own params, with templates; without those that say how events come. */
  params: { [key: string]: Json };
};

/** Seconds from one poll to the next that a definition may ask for; a connector itself may ask for less. */
const everySecondsBounds = { least: 10, most: 86_400 } as const;

/** Params of every event, beside its own: how events come, and how often they are asked for. */
const commonParams = ["mode", "everySeconds"] as const;

/** The source that a trigger's data names, or what is wrong with it: the pointer is relative to the data. */
export async function findEventSource(
  { connectors }: Pick<Services, "connectors">,
  workspaceId: number,
  config: Config,
): Promise<EventSource | { problem: string; code: string; pointer: string }> {
  const slug = toText(config["connector"] ?? null);
  const connector = await connectors.find(workspaceId, slug);
  if (!connector) {
    const slugs = (await connectors.list(workspaceId)).map((each) => each.slug);
    const hint = didYouMean(slug, slugs) || `; there are ${slugs.join(", ")}`;
    return { problem: `There is no connector ${slug}${hint}`, code: "unknown_connector", pointer: "/connector" };
  }
  const event = toText(config["event"] ?? null);
  const trigger = connector.triggers.find((each) => each.event === event);
  if (!trigger) {
    const events = connector.triggers.map((each) => each.event);
    const hint = didYouMean(event, events) || `; it has ${events.join(", ") || "none"}`;
    return { problem: `${slug} has no event ${event}${hint}`, code: "unknown_event", pointer: "/event" };
  }
  const { connectionId } = config;
  const timing = readTiming(trigger, isRecord(config["params"]) ? config["params"] : {});
  if ("problem" in timing) return { ...timing, code: "invalid_input" };
  return { connector, trigger, connectionId: typeof connectionId === "string" ? connectionId : null, ...timing };
}

type Timing = Pick<EventSource, "mode" | "everyMs" | "params">;

function readTiming(trigger: ConnectorTrigger, given: Config): Timing | { problem: string; pointer: string } {
  const own = trigger.paramsSchema["properties"];
  const isOwn = (name: string): boolean => isRecord(own) && Object.hasOwn(own, name);
  const common = Object.fromEntries(
    commonParams.filter((name) => !isOwn(name) && Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
  const params = Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(common, name)));
  const modes: EventMode[] = [
    ...(trigger.poll ? ["poll" as const] : []),
    ...(trigger.push ? ["webhook" as const] : []),
  ];
  const { mode: asked = modes[0], everySeconds = trigger.poll?.everySeconds ?? 60 } = common;
  const mode = modes.find((each) => each === asked);
  if (!mode) {
    const problem = `mode must be ${modes.join(" or ")}: ${trigger.event} comes no other way`;
    return { problem, pointer: "/params/mode" };
  }
  const bounds = boundsOf(trigger);
  if (!isWithin(everySeconds, bounds)) {
    const problem = `everySeconds must be a number from ${bounds.least} to ${bounds.most}`;
    return { problem, pointer: "/params/everySeconds" };
  }
  return { mode, everyMs: everySeconds * 1000, params };
}

function boundsOf({ poll }: ConnectorTrigger): { least: number; most: number } {
  const { least, most } = everySecondsBounds;
  return { least: Math.min(least, poll?.everySeconds ?? least), most };
}

function isWithin(value: Json, { least, most }: { least: number; most: number }): value is number {
  return typeof value === "number" && value >= least && value <= most;
}

/** Whether a connector's service sends the events of a trigger, which so has an address. */
export async function isPushed(
  services: Pick<Services, "connectors">,
  { workspaceId, config }: Pick<SubscriptionRecord, "workspaceId" | "config">,
): Promise<boolean> {
  const source = await findEventSource(services, workspaceId, config);
  return "mode" in source && source.mode === "webhook";
}

/** What is polled, as one text: where it differs from the last poll's, the poll begins anew. */
export function sourceKey({ connector, trigger, connectionId, params }: EventSource): string {
  return JSON.stringify([connector.slug, trigger.event, connectionId, params]);
}

const schemas = new WeakMap<ConnectorTrigger, Schemed>();

/** A trigger's params as an input to check. */
export function paramsOf(trigger: ConnectorTrigger): Schemed {
  const known = schemas.get(trigger) ?? { inputSchema: trigger.paramsSchema };
  schemas.set(trigger, known);
  return known;
}

/**
 * The params with `var` and `secret` as they are now, checked and with defaults, or what is wrong with them. Throws
 * MissingSecretError and SealedValueError.
 */
export function resolveParams(
  { values }: Pick<Services, "values">,
  { workspaceId }: Pick<SubscriptionRecord, "workspaceId">,
  { trigger, params }: EventSource,
): { params: { [key: string]: Json } } | { problem: string } {
  const named = values.named(workspaceId);
  const resolved = compileConfig(params).resolve({
    read(root, [name, ...rest]) {
      if (name === undefined || rest.length > 0) return undefined;
      if (root === "secret") return named.readSecret(String(name));
      return root === "var" ? named.readVariable(String(name)) : undefined;
    },
  });
  const checked = checkInput(paramsOf(trigger), presentInput(isRecord(resolved) ? resolved : {}));
  if (checked.ok) return { params: checked.input };
  const what = checked.problems.map(({ field, message }) => `${field || "params"} ${message}`).join("; ");
  return { problem: `The params of ${trigger.event} are not valid: ${what}` };
}

import type { ManifestHead, ManifestTrigger } from "../../contract/manifest.ts";
import type { Connector, ConnectorTrigger } from "../../engine/connector.ts";
import { connectorAuth } from "./auth-fields.ts";
import { type LazyOperation, compileOperation, testOperation } from "./compile-operation.ts";
import { compilePoll } from "./compile-poll.ts";
import { compilePush } from "./compile-push.ts";
import { type Pace, createPace } from "./pace.ts";

/** Makes a connector of a manifest that was read without errors. Operations are compiled when they are first called. */
export function compileManifest(
  head: ManifestHead,
  operations: readonly LazyOperation[],
  triggers: readonly ManifestTrigger[],
): Connector {
  const { slug, name, description, version, auth, baseUrl, rateLimit, test } = head;
  const pace = createPace(rateLimit);
  const compiled = operations.map((operation) => compileOperation(operation, head, pace));
  const tested = compiled.find(({ key }) => key === test);
  return {
    slug,
    name,
    description,
    version,
    auth: connectorAuth(auth),
    baseUrl,
    operations: compiled,
    triggers: triggers.map((trigger) => compileTrigger(trigger, head, pace)),
    ...(tested && { test: async (call) => testOperation(tested, call) }),
  };
}

function compileTrigger(trigger: ManifestTrigger, head: ManifestHead, pace: Pace): ConnectorTrigger {
  const { event, name, description, paramsSchema, outputSchema = null } = trigger;
  const common = { event, name, description, paramsSchema, outputSchema };
  if (trigger.mode === "webhook") return { ...common, push: { decode: compilePush(trigger) } };
  return { ...common, poll: { everySeconds: trigger.everySeconds, run: compilePoll(trigger, head, pace) } };
}

import type { Json } from "../../contract/json.ts";
import type { HttpAnswer } from "../../contract/webhook.ts";
import type { EventRecord, RunRecord, SealedPayload } from "../../store/store.ts";
import { readWithSealed } from "../execution/read-originals.ts";
import { GoneOriginalsError } from "../redaction/seal.ts";
import { restoreEvent } from "../redaction/seal-payload.ts";
import type { Services } from "../services.ts";
import { type RespondConfig, buildAnswer } from "./build-answer.ts";

/**
 * The answer that a run has given to its webhook's caller, told by its journal; null when it gave none. Throws
 * GoneOriginalsError when only its redacted form is left.
 */
export async function findRecordedAnswer(services: Services, run: RunRecord): Promise<HttpAnswer | null> {
  const { graph } = await services.versions.load(run.versionId);
  const started = new Map<string, { event: EventRecord; sealed: SealedPayload | undefined }>();
  for await (const entry of readWithSealed(services, run)) {
    const { event } = entry;
    if (graph.byId.get(event.stepId)?.type.type !== "respond_to_webhook") continue;
    const step = `${event.stepId} ${JSON.stringify(event.iteration)}`;
    if (event.type === "step_started") started.set(step, entry);
    const start = event.type === "step_completed" ? started.get(step) : undefined;
    if (start) return rebuild(restoreEvent(services.sealer, run.id, start.event, start.sealed).inputData ?? null);
  }
  return null;
}

/** `config` is what the node was given, and it completed, so it has the shape and can be sent. */
function rebuild(config: Json): HttpAnswer {
  const built = buildAnswer(config as RespondConfig);
  if ("problem" in built) throw new GoneOriginalsError("an answer", built.problem);
  return built.answer;
}

import type { BuildIssue, ManifestTrigger, PollTrigger, WebhookTrigger } from "../../contract/manifest.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { errorAt } from "./build-issue.ts";
import { checkPlainPath, namesOf } from "./check-operation.ts";
import { checkRequest } from "./check-request.ts";
import { checkSchema } from "./check-schema.ts";
import { type Roots, checkTemplates } from "./check-templates.ts";

type Place = readonly PropertyKey[];

/** Checks one trigger; `connection` as for operations. */
export function checkTrigger(
  trigger: ManifestTrigger,
  place: Place,
  connection: readonly string[] | null,
): BuildIssue[] {
  const { paramsSchema, outputSchema } = trigger;
  const params = namesOf(paramsSchema);
  return [
    ...checkSchema(paramsSchema, [...place, "paramsSchema"], { isObject: true }),
    ...checkSchema(outputSchema, [...place, "outputSchema"]),
    ...(trigger.mode === "poll"
      ? checkPoll(trigger, place, { params, connection })
      : checkWebhook(trigger, place, params, connection)),
  ];
}

function checkPoll(trigger: PollTrigger, place: Place, roots: Roots): BuildIssue[] {
  const { request, items, id, cursor, output } = trigger;
  const at = [...place, "request"];
  return [
    ...checkRequest(request, at, [...at, "path"], { ...roots, cursor: ["last"] }),
    ...checkPlainPath(items, [...place, "items"]),
    ...checkPlainPath(id, [...place, "id"]),
    ...checkPlainPath(cursor.by === "id" ? undefined : cursor.path, [...place, "cursor", "path"]),
    ...checkTemplates(output ?? null, [...place, "output"], { item: null, params: roots["params"] ?? null }),
  ];
}

function checkWebhook(
  trigger: WebhookTrigger,
  place: Place,
  params: readonly string[] | null,
  connection: readonly string[] | null,
): BuildIssue[] {
  const { signature, when = [], events, id, output, answer } = trigger;
  const open = { body: null, headers: null, query: null };
  const issues = [
    ...checkTemplates(
      when.map(({ value }) => value),
      [...place, "when"],
      { ...open, params },
    ).map((issue) => ({ ...issue, path: `${issue.path}/value` })),
    ...checkPlainPath(events, [...place, "events"]),
    ...checkTemplates(id, [...place, "id"], { ...open, item: null }),
    ...checkTemplates(output ?? null, [...place, "output"], { ...open, item: null, params }),
    ...checkTemplates(answer?.body ?? "", [...place, "answer", "body"], open),
  ];
  if (!signature) return issues;
  if (connection && !connection.includes(signature.secret)) {
    const message = `The connection has no field ${signature.secret}${didYouMean(signature.secret, connection)}`;
    issues.push(errorAt([...place, "signature", "secret"], "unknown_name", message));
  }
  if (signature.scheme === "hmac") {
    issues.push(...checkTemplates(signature.payload, [...place, "signature", "payload"], open));
  }
  return issues;
}

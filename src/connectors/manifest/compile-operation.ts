import type { Json } from "../../contract/json.ts";
import type { ManifestHead, ManifestOperation } from "../../contract/manifest.ts";
import type { Connector, ConnectorOperation } from "../../engine/connector.ts";
import { type Effects, type StepOutcome, done, fail } from "../../engine/node.ts";
import { parsePath } from "../../engine/templates/path.ts";
import { readPath, toJson } from "../../engine/values/json.ts";
import { applyAuth } from "./apply-auth.ts";
import { baseOf } from "./base-address.ts";
import { compileRequest } from "./compile-request.ts";
import type { Pace } from "./pace.ts";
import { connectionRoot, scopeOf } from "./scope.ts";
import { sendRequest } from "./send-request.ts";

/** An operation whose whole is read when it is first needed: there may be thousands of them. */
export type LazyOperation = { key: string; name: string; description: string; load(): ManifestOperation };

const idempotentMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);

export function compileOperation(
  { key, name, description, load }: LazyOperation,
  head: ManifestHead,
  pace: Pace,
): ConnectorOperation {
  const whole = once(load);
  const request = once(() => compileRequest({ ...whole().request, method: whole().method, path: whole().path }));
  return {
    key,
    name,
    description,
    get inputSchema() {
      return whole().inputSchema;
    },
    get outputSchema() {
      return whole().outputSchema ?? null;
    },
    effects: () => effectsOf(whole()),
    async run(call) {
      const base = baseOf(head, call.connection);
      const connection = connectionRoot(call.connection, base);
      const built = request()(scopeOf({ input: call.input, connection }), base);
      built.headers.set("idempotency-key", call.idempotencyKey);
      applyAuth(head.auth, call.connection, built);
      await pace(call.connection?.id ?? "", call.now(), call.signal);
      const sent = await sendRequest(built, call);
      if ("failure" in sent) return { kind: "fail", error: sent.failure };
      return done(resultOf(whole(), sent.body));
    },
  };
}

function effectsOf({ method, idempotent }: ManifestOperation): Effects {
  return (idempotent ?? idempotentMethods.has(method)) ? "idempotent" : "unsafe";
}

/** The part of an answer that the operation is about; null where the answer has no such part. */
function resultOf({ response }: ManifestOperation, body: Json): Json {
  if (response.path === undefined || response.path === "") return body;
  const path = parsePath(response.path);
  return "message" in path ? null : toJson(readPath(body, path));
}

function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= make());
}

/** Runs an operation that needs no input, to tell whether a connection works. */
export async function testOperation(
  operation: ConnectorOperation,
  call: Parameters<NonNullable<Connector["test"]>>[0],
): Promise<StepOutcome> {
  const runAction = async (): Promise<StepOutcome> => fail("UNKNOWN", "A test of a connection runs no action");
  const noFile = async (): Promise<never> => Promise.reject(new Error("A test of a connection has no files"));
  const files = { save: noFile, open: noFile };
  const own = { input: {}, idempotencyKey: "test", runAction, fetchFile: call.fetch, files, run: { id: "test" } };
  return operation.run({ ...call, ...own, attempt: 1 });
}

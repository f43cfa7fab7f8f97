import { Ajv, type ErrorObject } from "ajv";
import type { Json } from "../../contract/json.ts";
import { guardCheck, uncheckable } from "./guard-check.ts";
import { findOutgrown } from "../values/json.ts";

/** One problem of an input, field by field (contract 6). */
export type FieldProblem = { field: string; message: string; rule: string };

/** Returns the input with defaults filled in, or every problem at once. The argument is not changed. */
export type InputCheck = (input: {
  [key: string]: Json;
}) => { ok: true; input: { [key: string]: Json } } | { ok: false; problems: FieldProblem[] };

/** Numbers that outgrow a double match no number. */
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
});

/** Compiles an action's frozen input schema. Fields outside the schema are allowed and kept (contract 6). */
export function compileInputSchema(schema: { [key: string]: Json } | null): InputCheck {
  if (!schema) return refuseOutgrown((input) => ({ ok: true, input }));
  const validate = ajv.compile(schema);
  const guarded = guardCheck(schema);
  // ajv keeps what it compiled for good, under the schema's identity; whoever holds the check holds all there is to keep.
  ajv.removeSchema(schema);
  return refuseOutgrown((input) => {
    // Defaults are written into the value that is validated. It inherits nothing: a property that is named like a member
    // of every object would look as if it were there.
    const filled: typeof input = Object.assign(Object.create(null), input);
    const isValid = guarded(() => validate(filled));
    if (isValid) return { ok: true, input: { ...filled } };
    if (isValid === null) return { ok: false, problems: [{ field: "", message: uncheckable, rule: "timeout" }] };
    return { ok: false, problems: (validate.errors ?? []).map(describeProblem) };
  });
}

/** JSON writes numbers such as 1e400, which would be stored as null: wherever they are, none is let in. */
function refuseOutgrown(check: InputCheck): InputCheck {
  return (input) => {
    const checked = check(input);
    const problems = checked.ok ? [] : checked.problems;
    const named = new Set(problems.map(({ field }) => field));
    const outgrown = findOutgrown(input).map((path) => path.join("."));
    const more = outgrown
      .filter((field) => !named.has(field))
      .map((field) => ({ field, message: "must be number", rule: "type" }));
    return checked.ok && more.length === 0 ? checked : { ok: false, problems: [...problems, ...more] };
  };
}

/** One problem as ajv found it, in plain words. */
export function describeProblem(error: ErrorObject): FieldProblem {
  const params: Record<string, unknown> = error.params;
  const missing = typeof params["missingProperty"] === "string" ? params["missingProperty"] : null;
  const place = error.instancePath.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  const field = missing === null ? place : place === "" ? missing : `${place}.${missing}`;
  return { field, message: word(error, params, missing), rule: error.keyword };
}

function word(error: ErrorObject, params: Record<string, unknown>, missing: string | null): string {
  if (missing !== null) return "is required";
  if (error.keyword === "enum" && Array.isArray(params["allowedValues"])) {
    return `must be one of ${params["allowedValues"].map((value) => JSON.stringify(value)).join(", ")}`;
  }
  return error.message ?? "is not valid";
}

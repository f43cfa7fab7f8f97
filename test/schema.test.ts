import { readFileSync, readdirSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildWorkflowSchema } from "../src/engine/definition/workflow-schema.ts";
import { nodes } from "../src/nodes/index.ts";

const committed: unknown = JSON.parse(readFileSync(new URL("../schema/workflow.schema.json", import.meta.url), "utf8"));
const examples = new URL("../workflows/", import.meta.url);

describe("schema/workflow.schema.json", () => {
  it("is what scripts/write-schema.ts writes", () => {
    expect(committed).toEqual(buildWorkflowSchema(nodes));
  });

  it("accepts every example workflow", () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(buildWorkflowSchema(nodes));
    for (const file of readdirSync(examples).filter((name) => /(?<!\.test)\.ya?ml$/.test(name))) {
      validate(parse(readFileSync(new URL(file, examples), "utf8")));
      expect({ file, errors: validate.errors }).toEqual({ file, errors: null });
    }
  });
});

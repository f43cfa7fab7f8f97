import { readFileSync, readdirSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildConnectorSchema } from "../src/connectors/manifest/connector-schema.ts";
import { buildTestSchema } from "../src/engine/definition/test-schema.ts";
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

describe("schema/workflow-test.schema.json", () => {
  const written: unknown = JSON.parse(
    readFileSync(new URL("../schema/workflow-test.schema.json", import.meta.url), "utf8"),
  );

  it("is what scripts/write-schema.ts writes", () => {
    expect(written).toEqual(buildTestSchema());
  });

  it("accepts the tests of every example, and refuses a field that there is not", () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(buildTestSchema());
    for (const file of readdirSync(examples).filter((name) => name.endsWith(".test.yaml"))) {
      validate(parse(readFileSync(new URL(file, examples), "utf8")));
      expect({ file, errors: validate.errors }).toEqual({ file, errors: null });
    }
    expect(validate([{ name: "a", expect: { status: "succeeded" }, mock: {} }])).toBe(false);
  });
});

describe("schema/connector.schema.json", () => {
  const written: unknown = JSON.parse(
    readFileSync(new URL("../schema/connector.schema.json", import.meta.url), "utf8"),
  );

  it("is what scripts/write-schema.ts writes", () => {
    expect(written).toEqual(buildConnectorSchema());
  });

  it("accepts the manifest of the docs, and refuses a field that there is not", () => {
    const page = readFileSync(new URL("../docs/building-connectors.md", import.meta.url), "utf8");
    const manifest = parse(/```yaml\n([^]*?)```/.exec(page)?.[1] ?? "") as Record<string, unknown>;
    const validate = new Ajv({ strict: false, allErrors: true }).compile(buildConnectorSchema());
    validate(manifest);
    expect(validate.errors).toBeNull();
    expect(validate({ ...manifest, operatoins: [] })).toBe(false);
  });
});

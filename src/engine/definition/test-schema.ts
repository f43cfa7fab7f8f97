import * as z from "zod";
import { testFile } from "../../contract/workflow-test.ts";
import { jsonSchemaOptions } from "../values/json-schema.ts";

/** The JSON Schema (draft 7, which editors know best) of files of tests. It helps while typing; the runner checks far more. */
export function buildTestSchema(): { [keyword: string]: unknown } {
  return { ...z.toJSONSchema(testFile, { ...jsonSchemaOptions, target: "draft-7" }), title: "Stepgate workflow tests" };
}

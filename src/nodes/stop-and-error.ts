import * as z from "zod";
import { toText } from "../engine/values/json.ts";
import { defineNode, fail } from "../engine/node.ts";
import { template } from "./template-field.ts";

const defaultCode = "WORKFLOW_STOPPED";

/** Fails the run with an error of the workflow's own (spec 2.10). What resolves to no text is shown as text. */
export const stopAndError = defineNode({
  type: "stop_and_error",
  title: "Stop and Error",
  group: "Flow",
  summary: "Fails the run with a message of your own. It has no output and nothing follows it.",
  config: z.strictObject({
    errorMessage: template("The message of the run's error"),
    errorCode: template("The code of the run's error").default(defaultCode),
  }),
  templates: ["/errorMessage/**", "/errorCode/**"],
  sources: () => [],
  ignores: ["maxRetries", "continueOnFailure"],
  run({ config: { errorMessage, errorCode } }) {
    return fail(toText(errorCode) || defaultCode, toText(errorMessage) || "The workflow was stopped without a message");
  },
});

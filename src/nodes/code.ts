import * as z from "zod";
import { toJson } from "../engine/values/json.ts";
import { defineNode, done, fail } from "../engine/node.ts";
import { template } from "./template-field.ts";

/** Runs a script of the user's own in a sandbox (spec 2.10, contract 16); it can do nothing outside, so it may run again. */
export const code = defineNode({
  type: "code",
  title: "Code",
  group: "Utilities",
  summary:
    "Runs JavaScript or TypeScript in a sandbox without network and files. Output: what the function returns, as JSON; `null` for nothing.",
  config: z.strictObject({
    code: z
      .string()
      .min(1)
      .describe(
        "A module that exports `run(inputs, utils)`, or one other function by name. `utils`: `log(…)`, `uuid()`, `now()`, `sha256(text)`, `base64.encode(text)`, `base64.decode(text)`, `sleep(ms)`. Types are taken off; enums and namespaces are refused",
      ),
    fieldMappings: z.record(z.string(), template("A property of `inputs`")).default({}).describe("What `inputs` holds"),
  }),
  templates: ["/fieldMappings/**"],
  scripts: ["/code"],
  isBrief: true,
  async run({ config: { code: script, fieldMappings }, runScript }) {
    const result = await runScript(script, toJson(fieldMappings));
    if (result.ok) return done(result.output);
    const { message, details } = result;
    return fail("CODE_EXECUTION_FAILED", message, details && { details });
  },
});

import { failureOfStatus } from "../../engine/calls/status-failure.ts";
import type { OperationCall } from "../../engine/connector.ts";
import { type StepOutcome, done, fail } from "../../engine/node.ts";
import { isRecord } from "../../engine/values/json.ts";
import { defineOperation } from "../define-operation.ts";
import { mimeOf } from "../files.ts";
import { botAddress, callMethod } from "./call-method.ts";

/** Two calls: where the file lies, and its bytes. */
export const getFile = defineOperation({
  key: "get_file",
  name: "Get a file",
  description:
    "Downloads a file that somebody sent to the bot, up to 20 MB, and returns a file reference {file_id, name, size, " +
    "mime} that later steps can upload elsewhere. Takes Telegram's file_id, such as " +
    "{{trigger.output.update.document.file_id}}.",
  required: ["file_id"],
  properties: {
    file_id: { type: "string", minLength: 1, description: "Telegram's file_id of a document, photo, voice or video" },
    name: { type: "string", minLength: 1, maxLength: 200, description: "What the file is to be called" },
  },
  effects: "idempotent",
  async run(call): Promise<StepOutcome> {
    const answer = await callMethod(call, "getFile", { file_id: call.input["file_id"] });
    if ("error" in answer) return { kind: "fail", error: answer.error };
    const path = isRecord(answer.result) ? answer.result["file_path"] : null;
    if (typeof path !== "string")
      return fail("UNKNOWN", "Telegram does not say where the file is; it may be too large");
    return download(call, path);
  },
});

async function download(call: OperationCall, path: string): Promise<StepOutcome> {
  const parts = path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  const address = `${botAddress(call.connection, "file/bot")}/${parts.map(encodeURIComponent).join("/")}`;
  const response = await call.fetchFile(address, { signal: call.signal });
  const failure = failureOfStatus(response, { now: call.now(), what: "Telegram" });
  if (failure) return { kind: "fail", error: failure };
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { name } = call.input;
  const ownName = typeof name === "string" ? name : (parts.at(-1) ?? "file");
  return done(await call.files.save({ name: ownName, mime: mimeOf(response), bytes }));
}

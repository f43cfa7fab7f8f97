import type { Json } from "../contract/json.ts";
import type { Cipher } from "./redaction/cipher.ts";

/** A value that was sealed, or why it can't be had. */
export type Opened<Value> = { value: Value } | { problem: string };

/** A secret or credentials that this daemon can't open: they were damaged, or sealed with another master key. */
export class SealedValueError extends Error {
  constructor(what: string, problem: string) {
    super(`The contents of ${what} can't be opened: ${problem}`);
    this.name = "SealedValueError";
  }
}

/** Whose a sealed value is: in another row, or another workspace, the same bytes can't be opened. */
export const owners = {
  connection: (workspaceId: number, id: string) => `connection|${workspaceId}|${id}`,
  secret: (workspaceId: number, name: string) => `secret|${workspaceId}|${name}`,
  webhook: (workspaceId: number, workflowId: string, stage: string) => `webhook|${workspaceId}|${workflowId}|${stage}`,
};

export function sealValue(cipher: Cipher, owner: string, value: Json): Uint8Array {
  return cipher.seal(owner, JSON.stringify(value));
}

/** `Value` is what was sealed under this owner: nobody else has the key. */
export function openValue<Value extends Json>(cipher: Cipher, owner: string, sealed: Uint8Array): Opened<Value> {
  const opened = cipher.open(owner, sealed);
  return "problem" in opened ? opened : { value: JSON.parse(opened.text) as Value };
}

/** The value; throws SealedValueError, which names it as `what`. */
export function requireOpened<Value>(opened: Opened<Value>, what: string): Value {
  if ("problem" in opened) throw new SealedValueError(what, opened.problem);
  return opened.value;
}

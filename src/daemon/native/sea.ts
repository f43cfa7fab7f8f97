import { getRawAsset, isSea } from "node:sea";

/** Whether this process runs from the packaged executable (Node's "single executable application"). */
export const isPackaged: boolean = isSea();

/** Bytes of a file that scripts/package.ts put into the executable. Throws when there is none of this name. */
export function readAsset(name: string): Uint8Array {
  return new Uint8Array(getRawAsset(name));
}

import { getRawAsset, isSea } from "node:sea";
import { zstdDecompressSync } from "node:zlib";
import type { PackedAddon } from "./unpack-addon.ts";

/** Whether this process runs from the packaged executable (Node's "single executable application"). */
export const isPackaged: boolean = isSea();

/** Bytes of a file that scripts/package.ts put into the executable. Throws when there is none of this name. */
export function readAsset(name: string): Uint8Array {
  return new Uint8Array(getRawAsset(name));
}

/** A native module that scripts/package.ts put into the executable, compressed and with its hash beside it. */
export function readAddon(name: string): PackedAddon {
  return {
    sha256: new TextDecoder().decode(readAsset(`${name}.sha256`)),
    read: () => zstdDecompressSync(readAsset(`${name}.zst`)),
  };
}

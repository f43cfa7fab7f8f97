import { statfsSync } from "node:fs";
import { ApiError } from "../contract/errors.ts";

/** File systems of other machines by the number that Linux has for them: their locks and their fsync do not hold. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
]);

/**
 * Throws CONFLICT for a folder that lies on another machine, where Linux tells: two daemons could hold its lock at once,
 * and what was acknowledged might not be on a disk (cli.md, lock).
 */
export function refuseNetworkFolder(
  dir: string,
  typeOf: (dir: string) => number = (path) => statfsSync(path).type,
): void {
  if (process.platform !== "linux") return;
  const name = networkTypes.get(typeOf(dir) >>> 0);
  if (name === undefined) return;
  const message = `${dir} lies on a network file system (${name}), where nothing can be kept safely: set STEPGATE_HOME to a folder on a local disk`;
  throw new ApiError("CONFLICT", message);
}

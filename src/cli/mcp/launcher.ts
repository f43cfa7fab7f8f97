import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";

/** The absolute path under which another program can start this command line. */
export function launcherPath(): string {
  return isSea() ? process.execPath : fileURLToPath(new URL("../../../bin/stepgate", import.meta.url));
}

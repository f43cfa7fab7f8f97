import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For vitest: all temporary folders of the tests lie in one, which goes at the end, however the tests ended. */
export default function setup(): () => void {
  // A short name: the path of a control socket may have about a hundred characters.
  const root = mkdtempSync(join(tmpdir(), "sg-"));
  process.env["TMPDIR"] = root;
  return () => rmSync(root, { recursive: true, force: true });
}

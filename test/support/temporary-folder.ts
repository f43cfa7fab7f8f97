import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, which goes with the test. Whatever uses it may end in hooks that are set up later: they run first. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stepgate-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

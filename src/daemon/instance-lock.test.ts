import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { resolveHome } from "./home.ts";
import { takeInstanceLock } from "./instance-lock.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

it("one daemon has a home; another is told who it is, and gets the home when the first has let go", () => {
  const home = resolveHome({ STEPGATE_HOME: temporaryFolder() });
  const lock = takeInstanceLock(home);
  expect(() => takeInstanceLock(home)).toThrow(`Another Stepgate daemon uses ${home.dataDir}`);
  writeFileSync(home.daemonFile, JSON.stringify({ pid: 4242, url: "http://127.0.0.1:7717" }));
  expect(() => takeInstanceLock(home)).toThrow(
    expect.objectContaining({
      code: "CONFLICT",
      message: `Another Stepgate daemon (pid 4242, http://127.0.0.1:7717) uses ${home.dataDir}: stop it first (stepgate stop), or set STEPGATE_HOME to another folder`,
    }),
  );
  lock.release();
  takeInstanceLock(home).release();
});

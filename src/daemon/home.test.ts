import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { prepareHome, resolveHome } from "./home.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const modeOf = (path: string) => statSync(path).mode & 0o7777;

it("STEPGATE_HOME holds every file", () => {
  const root = temporaryFolder();
  const home = resolveHome({ STEPGATE_HOME: root, XDG_DATA_HOME: "/elsewhere" });
  expect(Object.values(home).filter((path) => path !== root && !path.startsWith(`${root}/`))).toEqual([]);
  expect(home.database).toBe(join(root, "stepgate.db"));
});

it("the XDG variables move each kind of file, relative ones count as unset", () => {
  const home = resolveHome({
    XDG_DATA_HOME: "/d",
    XDG_CONFIG_HOME: "/c",
    XDG_STATE_HOME: "/s",
    XDG_CACHE_HOME: "relative",
  });
  expect(home).toMatchObject({
    database: "/d/stepgate/stepgate.db",
    socket: "/d/stepgate/control.sock",
    configDir: "/c/stepgate",
    logFile: "/s/stepgate/daemon.log",
  });
  expect(home.cacheDir).not.toContain("relative");
});

it("a socket path that is too long for the system falls back to a short one that only this home has", () => {
  const long = (letter: string) => resolveHome({ STEPGATE_HOME: `/${letter.repeat(120)}` }).socket;
  expect(Buffer.byteLength(long("a"))).toBeLessThanOrEqual(100);
  expect(long("a")).not.toBe(long("b"));
  expect(long("a")).toBe(long("a"));
});

it("folders are created for this user alone, and tightened where they were open", () => {
  const root = join(temporaryFolder(), "deep", "home");
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  const home = resolveHome({ STEPGATE_HOME: root });
  prepareHome(home);
  expect(modeOf(root)).toBe(0o700);
});

it("a shared folder is refused and left as it is", () => {
  const shared = temporaryFolder();
  chmodSync(shared, 0o1777);
  expect(() => prepareHome(resolveHome({ STEPGATE_HOME: shared }))).toThrow(/is not a folder of this user's own/);
  expect(modeOf(shared)).toBe(0o1777);
});

it("a link to a folder of one's own is followed", () => {
  const [target, link] = [join(temporaryFolder(), "target"), join(temporaryFolder(), "link")];
  mkdirSync(target);
  chmodSync(target, 0o755);
  symlinkSync(target, link);
  prepareHome(resolveHome({ STEPGATE_HOME: link }));
  expect(modeOf(target)).toBe(0o700);
});

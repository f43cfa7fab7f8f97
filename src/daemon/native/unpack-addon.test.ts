import { createHash } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addonFolders, type PackedAddon, unpackAddon } from "./unpack-addon.ts";

const bytes = new TextEncoder().encode("native code");
const addon = pack(bytes);
let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stepgate-addon-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function pack(content: Uint8Array): PackedAddon {
  return { sha256: createHash("sha256").update(content).digest("hex"), read: () => content };
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

it("the addon is written once, for its user alone, and no draft stays behind", () => {
  const file = unpackAddon("probe", addon, [join(root, "cache")]);
  expect(readFileSync(file)).toEqual(Buffer.from(bytes));
  expect([modeOf(file), modeOf(dirname(file)), modeOf(join(root, "cache"))]).toEqual([0o600, 0o700, 0o700]);
  const before = statSync(file);
  expect(unpackAddon("probe", addon, [join(root, "cache")])).toBe(file);
  expect(statSync(file).ino).toBe(before.ino);
  expect(readdirSync(dirname(file))).toEqual(["probe.node"]);
});

it("a file that holds other bytes is replaced, not loaded", () => {
  const file = unpackAddon("probe", addon, [root]);
  writeFileSync(file, "evil code!!");
  expect(unpackAddon("probe", addon, [root])).toBe(file);
  expect(readFileSync(file, "utf8")).toBe("native code");
});

it("a file of an earlier start is used as it is, without a look into the executable", () => {
  const read = vi.fn<() => Uint8Array>(addon.read);
  const file = unpackAddon("probe", { ...addon, read }, [root]);
  expect(unpackAddon("probe", { ...addon, read }, [root])).toBe(file);
  expect(read).toHaveBeenCalledOnce();
});

it("another build goes to a folder of its own, for the old file may be in use", () => {
  const other = unpackAddon("probe", pack(new TextEncoder().encode("newer code")), [root]);
  expect(dirname(other)).not.toBe(dirname(unpackAddon("probe", addon, [root])));
});

it("a folder that others may write to is closed to them first", () => {
  const open = join(root, "open");
  mkdirSync(open);
  unpackAddon("probe", addon, [open]);
  expect(modeOf(open)).toBe(0o700);
});

it("the next folder is taken when the first can't be used, and the error names all of them", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  expect(unpackAddon("probe", addon, [join(file, "cache"), join(root, "second")])).toContain(join(root, "second"));
  const attempt = () => unpackAddon("probe", addon, [join(file, "one"), join(file, "two")]);
  expect(attempt).toThrow(/probe could not be unpacked.*STEPGATE_HOME.*one: ENOTDIR.*two: ENOTDIR/s);
});

it("a folder of another user is refused", () => {
  // Only root can give a folder away; for everybody else the root of the file system is a foreign one.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(root, 12_345, 12_345);
  expect(() => unpackAddon("probe", addon, [isRoot ? root : "/"])).toThrow(/belongs to another user/);
});

it.each([
  [{ STEPGATE_HOME: "/srv/stepgate" }, ["/srv/stepgate/cache"]],
  [{ XDG_CACHE_HOME: "/srv/cache" }, ["/srv/cache/stepgate", expect.stringContaining(tmpdir())]],
  [{}, [expect.stringMatching(/stepgate/i), expect.stringContaining(tmpdir())]],
])("with %j the addons go to %j", (env, folders) => {
  expect(addonFolders(env)).toEqual(folders);
});

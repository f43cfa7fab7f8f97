import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configurationFile } from "./change-user-file.ts";
import { readConfiguration } from "./read-configuration.ts";

let folder = "";
let userFile = "";
let projectFile = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-configuration-"));
  userFile = join(folder, "config.yaml");
  projectFile = join(folder, "stepgate.yaml");
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (texts: { user?: string; project?: string; env?: Record<string, string> }) => {
  if (texts.user !== undefined) writeFileSync(userFile, texts.user);
  if (texts.project !== undefined) writeFileSync(projectFile, texts.project);
  const project = texts.project === undefined ? null : projectFile;
  return readConfiguration({ env: texts.env ?? {}, userFile, projectFile: project });
};
const originOf = (texts: Parameters<typeof read>[0], name: string) => {
  const { value, origin, source } = read(texts).settings.get(name) ?? {};
  return [value, origin, source];
};

it("the environment goes before the project's file, that before the user's, that before defaults", () => {
  const user = "run: {timeout: 1m}";
  const project = "run: {timeout: 2m}";
  expect(originOf({}, "run.timeout")).toEqual([null, "default", null]);
  expect(originOf({ user }, "run.timeout")).toEqual(["1m", "config", userFile]);
  expect(originOf({ user, project }, "run.timeout")).toEqual(["2m", "project", projectFile]);
  const env = { STEPGATE_TIMEOUT: "3m" };
  expect(originOf({ user, project, env }, "run.timeout")).toEqual(["3m", "environment", "STEPGATE_TIMEOUT"]);
});

it.each([
  ["url: http://evil", /may not set url: a project's file/],
  ["profiles: {ci: {url: http://evil}}", /may not set profiles\.ci\.url/],
  ["default_profile: ci", /may not set default_profile/],
  ["editor: rm", /may not set editor/],
  ["pager: rm", /may not set pager/],
  ["server: {host: 0.0.0.0}", /may not set server\.host/],
  ["db: x", /may not set db/],
  ["limits: {runsPerHour: 5}", /may not set limits\.runsPerHour/],
  ["workflow: x", /unknown setting workflow; did you mean workflows\?/],
  ["run: {timeout: soon}", /run\.timeout in .*stepgate\.yaml is not valid: must be a length of time/],
  ["[1]", /must hold a mapping/],
  ["a: [1", /stepgate\.yaml:1:\d+ is no YAML/],
  [
    "a: &a [1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c]",
    /can't be read/,
  ],
])("a project's file is refused that says %j", (project, message) => {
  expect(() => read({ project })).toThrow(message);
});

it("profiles have an address and a key file, which stands beside the configuration or at home", () => {
  const user =
    "default_profile: ci\nprofiles:\n  local:\n  ci: {url: http://x, key_file: ci.key}\n  b: {key_file: ~/b}";
  const { profiles, defaultProfile } = read({ user });
  expect(defaultProfile).toBe("ci");
  expect(Object.fromEntries(profiles)).toEqual({
    local: { url: null, keyFile: null },
    ci: { url: "http://x", keyFile: join(folder, "ci.key") },
    b: { url: null, keyFile: join(homedir(), "b") },
  });
});

it.each([
  ["profiles: {ci: {key: sgt_secret}}", /holds a key itself/],
  ["profiles: {ci: {ulr: x}}", /unknown field ulr; did you mean url\?/],
  ["profiles: [ci]", /must be a mapping/],
  ["default_profile: cl\nprofiles: {ci: {}}", /names no profile of it: cl/],
  ["limits: {runPerHour: 5}", /did you mean limits\.runsPerHour\?/],
  ["__proto__: {polluted: true}", /unknown setting __proto__\.polluted/],
])("the user's file is refused that says %j", (user, message) => {
  expect(() => read({ user })).toThrow(message);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

it("a change keeps comments and order, and takes an empty group along", () => {
  const before = "# mine\nlog:\n  level: info # loud\n# bounds\nlimits:\n  runsPerHour: 5 # five\n";
  writeFileSync(userFile, before);
  const change = (name: string, text: string | null) => configurationFile.change(userFile, name, text);
  expect(change("limits.runsPerHour", "100000")).toEqual({
    name: "limits.runsPerHour",
    value: 100_000,
    isChanged: true,
  });
  expect(change("limits.runsPerHour", "100000").isChanged).toBe(false);
  expect(change("approvals.notify.webhookSecret", "12345").value).toBe("12345");
  expect(change("workflows", "[a, b]").value).toEqual(["a", "b"]);
  expect(change("approvals.notify.webhookSecret", null).isChanged).toBe(true);
  expect(change("workflows", null).isChanged).toBe(true);
  expect(change("server.port", null).isChanged).toBe(false);
  const { settings } = read({});
  expect(settings.get("limits.runsPerHour")?.value).toBe(100_000);
  expect(settings.get("approvals.notify.webhookSecret")?.origin).toBe("default");
  configurationFile.change(userFile, "limits.runsPerHour", "5");
  expect(readText()).toBe(before);
});

it.each([
  ["limits.runPerHour", "5", /There is no setting limits\.runPerHour; did you mean limits\.runsPerHour\?/],
  ["limits.runsPerHour", "many", /must be a number/],
  ["log.level", "loud", /log\.level in the command line is not valid/],
  ["log.level", "loud", /must be one of "debug", "info", "warn", "error"$/],
  ["limits.runsPerHour", "true", /must be a number$/],
  ["limits.runsPerHour", "[5]", /must be a number$/],
  ["limits.runsPerHour", "''", /must be a number$/],
  ["limits.autoPauseAfter", "-1", /must be at least 0$/],
  ["server.port", "70000", /must be at most 65535$/],
  ["server.host", "", /must be text that is not empty$/],
  ["server.baseUrl", "here", /must be an http or https address/],
  ["server.webhookBase", "ftp://hooks.example", /must be an http or https address/],
  ["metrics.public", "maybe", /must be true or false$/],
  ["store.url", "postgres://db.example/stepgate", /store\.url in the command line is not valid: must be left out/],
  ["__proto__.x", "1", /There is no setting __proto__\.x/],
])("setting %s to %j is refused and changes nothing", (name, text, message) => {
  writeFileSync(userFile, "log: {level: info}\n");
  expect(() => configurationFile.change(userFile, name, text)).toThrow(message);
  expect(readText()).toBe("log: {level: info}\n");
});

function readText(): string {
  return readFileSync(userFile, "utf8");
}

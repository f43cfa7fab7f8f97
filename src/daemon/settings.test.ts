import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limitsOf, loadSettings, outsideOf } from "./settings.ts";

let folder: string;
let configFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stepgate-settings-"));
  configFile = join(folder, "config.yaml");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("without any source every setting has its default", () => {
  const settings = loadSettings({ env: {}, configFile });
  expect(settings.get("limits.runsPerHour")).toEqual({
    name: "limits.runsPerHour",
    value: 100,
    origin: "default",
    source: null,
  });
  expect(limitsOf(settings).requestsPerMinute.free).toBe(60);
});

test("flags win over the environment, the environment over the file, the file over defaults", () => {
  writeFileSync(configFile, "server: {port: 1, host: file}\nlimits:\n  runsPerHour: 7\n");
  const env = { STEPGATE_SERVER_PORT: "2", STEPGATE_SERVER_HOST: "env" };
  const settings = loadSettings({ flags: { "server.port": 3 }, env, configFile });
  expect(settings.get("server.port")).toMatchObject({ value: 3, origin: "flag" });
  expect(settings.get("server.host")).toMatchObject({
    value: "env",
    origin: "environment",
    source: "STEPGATE_SERVER_HOST",
  });
  expect(settings.get("limits.runsPerHour")).toMatchObject({ value: 7, origin: "config", source: configFile });
});

test("the port and the host have short variables too", () => {
  const settings = loadSettings({ env: { STEPGATE_PORT: "0", STEPGATE_HOST: "::1" }, configFile });
  expect(settings.get("server.port")?.value).toBe(0);
  expect(settings.get("server.host")?.value).toBe("::1");
});

test("an unknown setting in the file is refused with the nearest name", () => {
  writeFileSync(configFile, "limits: {runPerHour: 5}\n");
  expect(() => loadSettings({ env: {}, configFile })).toThrow(/limits\.runPerHour; did you mean limits\.runsPerHour\?/);
});

test("a misspelt variable of a group of settings is refused with the nearest name; other variables are nobody's", () => {
  const load = (name: string) => loadSettings({ env: { [name]: "5" }, configFile });
  expect(() => load("STEPGATE_LIMITS_RUN_PER_HOUR")).toThrow(
    /RUN_PER_HOUR .*did you mean STEPGATE_LIMITS_RUNS_PER_HOUR\?/,
  );
  expect(() => load("STEPGATE_EGRESS_FOO_BAR")).toThrow(/stepgate config list/);
  const others = ["STEPGATE_HOME", "STEPGATE_API_KEY_FILE", "STEPGATE_UI_COPY", "LIMITS_RUN_PER_HOUR"];
  const ofKubernetes = [
    "STEPGATE_METRICS_SERVICE_HOST",
    "STEPGATE_METRICS_PORT",
    "STEPGATE_METRICS_PORT_9090_TCP_ADDR",
  ];
  for (const name of [...others, ...ofKubernetes]) {
    expect(load(name).get("limits.runsPerHour")?.value).toBe(100);
  }
});

test.each([
  ["STEPGATE_LIMITS_RUNS_PER_HOUR", "many"],
  ["STEPGATE_LIMITS_RUNS_PER_HOUR", "0"],
  ["STEPGATE_SERVER_PORT", "70000"],
  ["STEPGATE_LOG_LEVEL", "loud"],
])("a value that makes no sense is refused with its source: %s=%s", (variable, value) => {
  expect(() => loadSettings({ env: { [variable]: value }, configFile })).toThrow(variable);
});

test.each([
  ["true", true],
  ["false", false],
  ["0", false],
])("a setting that is true or false reads %j in the environment as %j", (text, value) => {
  const settings = loadSettings({ env: { STEPGATE_METRICS_PUBLIC: text }, configFile });
  expect(settings.get("metrics.public")).toMatchObject({ value, origin: "environment" });
});

test("the monthly quota is off until it is set", () => {
  expect(limitsOf(loadSettings({ env: {}, configFile })).monthlyRuns).toBeNull();
  const env = { STEPGATE_LIMITS_MONTHLY_RUNS: "500" };
  expect(limitsOf(loadSettings({ env, configFile })).monthlyRuns).toBe(500);
});

test("no limit is null in the file and in the environment, where there can be none: a key always has a rate", () => {
  writeFileSync(configFile, "limits: {activeKeys: {pro: null}}\n");
  const env = { STEPGATE_LIMITS_ACTIVE_KEYS_FREE: "null", STEPGATE_LIMITS_MONTHLY_RUNS: "null" };
  const limits = limitsOf(loadSettings({ env, configFile }));
  expect([limits.activeKeys, limits.monthlyRuns]).toEqual([
    { free: null, starter: 3, pro: null, business: null },
    null,
  ]);
  writeFileSync(configFile, "limits: {requestsPerMinute: {business: null}}\n");
  expect(() => loadSettings({ env: {}, configFile })).toThrow(/requestsPerMinute\.business in .* must be a number/);
});

test("egress.allow is a list in the file and a text with commas in the environment; what is no address is refused", () => {
  writeFileSync(configFile, 'egress: { allow: ["127.0.0.1:6333", "[::1]:80"] }\nbreaker: { openSeconds: 5 }\n');
  expect(outsideOf(loadSettings({ env: {}, configFile }))).toEqual({
    files: { maxBytes: 20 * 1024 * 1024 },
    retries: { baseMs: 1000, maxMs: 30_000 },
    breaker: { failures: 5, windowSeconds: 300, openSeconds: 5 },
    egress: { allow: ["127.0.0.1:6333", "[::1]:80"], allowPrivateNetworks: false },
  });
  const env = { STEPGATE_EGRESS_ALLOW: "localhost:11434, 10.0.0.0/8" };
  expect(outsideOf(loadSettings({ env, configFile })).egress.allow).toEqual(["localhost:11434", "10.0.0.0/8"]);
  const url = { STEPGATE_EGRESS_ALLOW: "http://127.0.0.1:6333/" };
  expect(() => loadSettings({ env: url, configFile })).toThrow(/egress\.allow .*127\.0\.0\.1:6333/);
});

test("a time that would end beyond the calendar is refused with the longest there is", () => {
  const load = (seconds: string) =>
    loadSettings({ env: { STEPGATE_LIMITS_APPROVAL_EXPIRY_SECONDS: seconds }, configFile });
  expect(() => load("9000000000000000")).toThrow("must be at most 3153600000, which is a hundred years");
  expect(limitsOf(load("3153600000")).approvalExpirySeconds).toBe(3_153_600_000);
});

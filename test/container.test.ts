import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { launcher, stepgate } from "./support/command-line.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const require = createRequire(import.meta.url);
const recipe = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");

/** Libraries that debian:12-slim has, and the newest versions of their symbols. */
const inImage = /^(?:libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+|libstdc\+\+|libgcc_s)\.so\.\d+$/;
const newest: Readonly<Record<string, string>> = { GLIBC: "2.36", GLIBCXX: "3.4.30", CXXABI: "1.3.13" };
/** What the recipe installs, by the library that it brings. */
const installed: Readonly<Record<string, string>> = { "libatomic.so.1": "libatomic1" };

const prebuilds = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "prebuilds");
const platform = `${process.platform}-${process.arch}`;
const isolatedVm = `isolated-vm.abi${process.versions.modules}.glibc.node`;

/** What scripts/package.ts puts together. */
const native = [
  ["Node", process.execPath],
  ["better-sqlite3", join(prebuilds("better-sqlite3"), `${platform}.node`)],
  ["isolated-vm", join(prebuilds("isolated-vm"), platform, isolatedVm)],
] as const;

const canLook = process.platform === "linux" && spawnSync("objdump", ["--version"]).status === 0;

it.runIf(canLook).each(native)("the container's image has every library that %s asks for", (_, file) => {
  const read = (flag: string) => execFileSync("objdump", [flag, file], { encoding: "utf8", maxBuffer: 1e9 });
  const needed = [...read("-p").matchAll(/^ +NEEDED +(\S+)/gm)].map(([, name = ""]) => name);
  expect(needed).toContain("libc.so.6");
  for (const library of needed.filter((name) => !inImage.test(name))) {
    expect(recipe).toContain(`--no-install-recommends ${installed[library] ?? `the package with ${library}`}`);
  }
  for (const [, name = "", version = ""] of read("-T").matchAll(/\(?\b(GLIBC|GLIBCXX|CXXABI)_(\d[\d.]*)\b/g)) {
    const newer = version.localeCompare(newest[name] ?? "", "en", { numeric: true }) > 0;
    expect([name, version, newer]).toEqual([name, version, false]);
  }
});

it("the environment of a container is all that a daemon needs, and a look at its health needs the home alone", async () => {
  const home = temporaryFolder();
  const variables =
    /^ENV (.*)$/m
      .exec(recipe)?.[1]
      ?.split(" ")
      .map((pair) => pair.split("=")) ?? [];
  const env = {
    ...Object.fromEntries(variables),
    STEPGATE_HOME: home,
    STEPGATE_PORT: "0",
    STEPGATE_SERVER_BASE_URL: "https://gate.example.org",
    STEPGATE_LIMITS_ACTIVE_KEYS_BUSINESS: "1",
    STEPGATE_MASTER_KEY: randomBytes(32).toString("base64"),
  };
  expect(env).toMatchObject({ STEPGATE_HOST: "0.0.0.0" });
  const daemon = spawn(launcher, ["serve", "--log-format", "json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(daemon, "exit");
  try {
    const { url } = JSON.parse(String((await once(daemon.stdout, "data"))[0])) as { url: string };
    const health = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(recipe)?.[1] ?? "[]";
    const [program, ...words] = JSON.parse(health) as string[];
    expect([program, (await stepgate(home, words)).code]).toEqual(["stepgate", 0]);
    const mint = async (name: string) => (await stepgate(home, ["keys", "mint", "--name", name])).code;
    expect([await mint("agent"), await mint("another")]).toEqual([0, 6]);
    const call = async (host: string) => {
      const sent = request(`${url}/healthz`, { headers: { host }, agent: false });
      sent.end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await call(new URL(url).host)).toBe(200);
    expect(await call("gate.example.org")).toBe(200);
    expect(await call("attacker.example")).toBe(403);
    expect(readdirSync(home)).not.toContain("master.key");
  } finally {
    daemon.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
  expect((await stepgate(home, ["status", "-q"])).code).toBe(3);
});

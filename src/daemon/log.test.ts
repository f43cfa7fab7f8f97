import { expect, it } from "vitest";
import { knownSecrets } from "../engine/redaction/known-secrets.ts";
import { createLog } from "./log.ts";

const key = `sgt_${"x9Qf".padEnd(32, "a")}`;

function lines(format: "json" | "pretty", write: (log: ReturnType<typeof createLog>) => void): string[] {
  const written: string[] = [];
  write(createLog({ format, level: "info", write: (line) => written.push(line) }));
  return written;
}

it("writes one JSON object a line, with level and time as words", () => {
  const [line] = lines("json", (log) => log.warn({ runId: "r1" }, "slow"));
  expect(line?.endsWith("\n")).toBe(true);
  expect(JSON.parse(line ?? "")).toEqual({
    level: "warn",
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    runId: "r1",
    msg: "slow",
  });
});

it.each(["json", "pretty"] as const)("no secret gets into a %s log; of a key its public prefix stays", (format) => {
  const text = lines(format, (log) => {
    log.info({ headers: { authorization: `Bearer ${key}` } }, `key ${key}`);
    log.error(new Error(`refused ${key}`));
    log.info({ key: { secret: "hunter2" } }, "mail ada@example.org");
  }).join("");
  expect(text).not.toContain(key);
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("ada@example.org");
  expect(text).toContain("sgt_x9Qf…");
});

it.each(["json", "pretty"] as const)(
  "secrets that are known by their value are hidden in a %s log from then on",
  (format) => {
    let secrets: string[] = [];
    const text = lines(format, (log) => {
      log.hide(() => knownSecrets({ secrets }));
      log.info({ note: "canary-one" }, "before");
      secrets = ["canary-one"];
      log.error({ err: new Error("refused canary-one"), note: ["canary-one"] }, "token canary-one");
    });
    expect(text[0]).toContain("canary-one");
    expect(text[1]).toContain("token [REDACTED_TOKEN]");
    expect(text[1]).not.toContain("canary-one");
  },
);

it("a pretty line has time, level, message, fields and an error's stack, and cannot steer the terminal", () => {
  const [line, failed] = lines("pretty", (log) => {
    log.info({ slug: "a\u001b[31mb" }, "hello\nworld\u0007");
    log.error({ err: new Error("broken") }, "A request failed");
  });
  expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}hello world {2}slug="a\S*b"\n$/);
  expect(failed).toMatch(/ERROR A request failed\n {4}Error: broken\n {4} {4}at /);
});

it("lines below the level are not written", () => {
  expect(lines("json", (log) => log.debug("quiet"))).toEqual([]);
});

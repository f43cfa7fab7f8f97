import { expect, it } from "vitest";
import { selfCheck } from "./self-check.ts";

it("every native part starts and does its work in a checkout", async () => {
  const { ok, checks } = await selfCheck();
  expect(checks.map(({ name, status }) => [name, status])).toEqual([
    ["node", "ok"],
    ["sqlite", "ok"],
    ["sandbox", "ok"],
  ]);
  expect(ok).toBe(true);
});

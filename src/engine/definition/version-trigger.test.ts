import { expect, it } from "vitest";
import { newSubscriptionId } from "./version-trigger.ts";

it("no id of a subscription begins with a hyphen, which a command line would read as an option", () => {
  const firsts = Array.from({ length: 256 }, (_, byte) =>
    newSubscriptionId((length) => new Uint8Array(length).fill(byte)),
  );
  expect(firsts.filter((id) => id.startsWith("-"))).toEqual([]);
  expect(firsts.every((id) => /^[\w-]{32}$/.test(id))).toBe(true);
});

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withKeys } from "../../../scripts/render-ui-docs.ts";
import { actionOf, bindings, places } from "../../../src/cli/ui/model/keys.ts";

it("docs/terminal-ui.md has every key that there is (else run scripts/write-ui-docs.ts)", () => {
  const page = readFileSync(new URL("../../../docs/terminal-ui.md", import.meta.url), "utf8");
  expect(withKeys(page)).toBe(page);
});

it("no key means two things in one place", () => {
  for (const place of places) {
    for (const { keys, action, where } of bindings) {
      if (where !== "all" && !where.includes(place)) continue;
      for (const key of keys) expect([place, key, actionOf(key, [place])]).toEqual([place, key, action]);
    }
  }
});

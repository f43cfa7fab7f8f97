import { expect, it } from "vitest";
import { makePaint, wantsColour } from "./colour.ts";

it.each([
  ["at a terminal", "auto", {}, true, true],
  ["in a pipe", "auto", {}, false, false],
  ["at a dumb terminal", "auto", { TERM: "dumb" }, true, false],
  ["NO_COLOR at a terminal", "auto", { NO_COLOR: "1" }, true, false],
  ["an empty NO_COLOR says nothing", "auto", { NO_COLOR: "" }, true, true],
  ["FORCE_COLOR comes before NO_COLOR", "auto", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
  ["FORCE_COLOR=0 at a terminal", "auto", { FORCE_COLOR: "0" }, true, false],
  ["--color always comes first", "always", { NO_COLOR: "1", TERM: "dumb" }, false, true],
  ["--color never comes first", "never", { FORCE_COLOR: "1" }, true, false],
] as const)("%s", (_, choice, env, isTerminal, wanted) => {
  expect(wantsColour(choice, env, isTerminal)).toBe(wanted);
});

it("paint colours or leaves alone", () => {
  expect(makePaint(true)("red", "x")).toBe("\x1b[31mx\x1b[39m");
  expect(makePaint(false)("red", "x")).toBe("x");
});

import { expect, it } from "vitest";
import { pointerParts, toPointer } from "./json-pointer.ts";

it.each([
  [[], ""],
  [["nodes", 0, "data"], "/nodes/0/data"],
  [["a/b", "c~d", ""], "/a~1b/c~0d/"],
  [["~1"], "/~01"],
])("writes %j as %s and reads it back", (path, pointer) => {
  expect(toPointer(path)).toBe(pointer);
  expect(pointerParts(pointer)).toEqual(path.map(String));
});

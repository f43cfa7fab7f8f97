import type { Key } from "ink";
import { expect, it } from "vitest";
import { readKeys } from "./read-keys.ts";

const none: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

it.each<[string, Partial<Key>, string[]]>([
  ["jjj", {}, ["j", "j", "j"]],
  ["j\r", {}, ["j", "enter"]],
  ["a\t b\x7f", {}, ["a", "tab", "space", "b", "backspace"]],
  ["G", { shift: true }, ["G"]],
  ["", { upArrow: true }, ["up"]],
  ["", { tab: true, shift: true }, ["shift-tab"]],
  ["c", { ctrl: true }, ["ctrl-c"]],
  ["ä👩‍👩‍👧é", {}, ["ä", "👩‍👩‍👧", "é"]],
  ["[?1;2c", {}, []],
  ["[I", {}, []],
  ["[200~", {}, []],
  ["OP", {}, []],
  ["a", { meta: true }, []],
  ["[", {}, ["["]],
  ["\x00\x1b", {}, []],
])("%j with %j is read as %j", (input, key, names) => {
  expect(readKeys(input, { ...none, ...key })).toEqual(names);
});

import { expect, it } from "vitest";
import { createIdSource } from "./uuid7.ts";

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it("an id has version 7, its variant and the time in front", () => {
  const id = createIdSource(() => Date.UTC(2026, 0, 2))();
  expect(id).toMatch(pattern);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 2));
});

it("ids increase strictly while the clock stands still, and when it goes back", () => {
  let ms = 1_000_000;
  const nextId = createIdSource(() => ms);
  const ids: string[] = [];
  for (let index = 0; index < 20_000; index++) {
    if (index === 10_000) ms -= 500;
    ids.push(nextId());
  }
  expect(ids.every((id) => pattern.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted());
});

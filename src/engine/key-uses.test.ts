import { expect, it } from "vitest";
import { createKeyUses } from "./key-uses.ts";

type Use = { id: string; at: number };

function notebook(fail = () => false) {
  const written: Use[][] = [];
  const uses = createKeyUses({
    async touchKeys(batch) {
      if (fail()) throw new Error("disk full");
      written.push([...batch]);
    },
  });
  return { uses, written };
}

it("many uses of a key are one row, nothing new is no write", async () => {
  const { uses, written } = notebook();
  for (let at = 1; at <= 1000; at++) uses.note("a", at);
  uses.note("b", 7);
  await uses.flush();
  await uses.flush();
  expect(written).toEqual([
    [
      { id: "a", at: 1000 },
      { id: "b", at: 7 },
    ],
  ]);
});

it("uses that could not be written are written the next time, the newer of two", async () => {
  let isFull = true;
  const { uses, written } = notebook(() => isFull);
  uses.note("a", 1);
  uses.note("b", 1);
  const failing = uses.flush();
  uses.note("a", 2);
  await expect(failing).rejects.toThrow("disk full");
  isFull = false;
  await uses.flush();
  expect(written).toEqual([
    [
      { id: "a", at: 2 },
      { id: "b", at: 1 },
    ],
  ]);
});

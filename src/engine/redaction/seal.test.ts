import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealer, GoneOriginalsError } from "./seal.ts";

const run = "01980000-0000-7000-8000-000000000001";
const other = "01980000-0000-7000-8000-000000000002";
const sealer = createSealer(new Uint8Array(32).fill(7), randomBytes);
const value = { to: "ada@example.com", list: [1, null, "ü"] };

test("what was sealed at a place is opened there, and no text of it is readable in between", () => {
  const sealed = sealer.seal(run, 3, value);
  expect(Buffer.from(sealed).toString("latin1")).not.toContain("ada@example");
  expect(sealer.open(run, 3, sealed)).toEqual(value);
});

test("the same value sealed twice differs, since every nonce is fresh", () => {
  expect(sealer.seal(run, 3, value)).not.toEqual(sealer.seal(run, 3, value));
});

test.each([
  ["another run", other, 3 as const],
  ["another event", run, 4 as const],
  ["another payload", run, "input" as const],
])("what was sealed for one place is not opened as that of %s", (_, runId, place) => {
  expect(() => sealer.open(runId, place, sealer.seal(run, 3, value))).toThrow(GoneOriginalsError);
});

test("every single flipped byte is noticed", () => {
  const sealed = sealer.seal(run, "input", value);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Uint8Array.from(sealed, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(() => sealer.open(run, "input", changed)).toThrow(GoneOriginalsError);
  }
});

test("cut bytes are noticed", () => {
  const sealed = sealer.seal(run, "result", value);
  for (const length of [0, 1, 20, sealed.length - 1]) {
    expect(() => sealer.open(run, "result", sealed.subarray(0, length))).toThrow(GoneOriginalsError);
  }
});

test("the error of another key names both keys and says what to do", () => {
  const later = createSealer(new Uint8Array(32).fill(8), randomBytes);
  const open = () => later.open(run, "input", sealer.seal(run, "input", value));
  expect(open).toThrow(
    `The original values of the input of run ${run} are gone: they are sealed with the master key ${sealer.keyName}, ` +
      `and this daemon has ${later.keyName}; put the earlier key back`,
  );
});

test("a key of another length is refused", () => {
  expect(() => createSealer(new Uint8Array(16), randomBytes)).toThrow("32 bytes, not 16");
});

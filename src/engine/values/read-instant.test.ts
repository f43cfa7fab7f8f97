import fc from "fast-check";
import { expect, it } from "vitest";
import { readInstant } from "./read-instant.ts";

const instants: [value: unknown, iso: string][] = [
  ["2024-01-31", "2024-01-31T00:00:00.000Z"],
  ["2024-01", "2024-01-01T00:00:00.000Z"],
  ["2024", "2024-01-01T00:00:00.000Z"],
  ["2024-01-31T10:20", "2024-01-31T10:20:00.000Z"],
  ["2024-01-31T10:20:30", "2024-01-31T10:20:30.000Z"],
  ["2024-01-31 10:20:30", "2024-01-31T10:20:30.000Z"],
  ["2024-01-31t10:20:30z", "2024-01-31T10:20:30.000Z"],
  ["2024-01-31T10:20:30.5Z", "2024-01-31T10:20:30.500Z"],
  ["2024-01-31T10:20:30,123456789Z", "2024-01-31T10:20:30.123Z"],
  ["2024-01-31T10:20:30+03:00", "2024-01-31T07:20:30.000Z"],
  ["2024-01-31T10:20:30-0130", "2024-01-31T11:50:30.000Z"],
  ["2024-01-31T10:20:30+14", "2024-01-30T20:20:30.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  [" 2024-01-31 ", "2024-01-31T00:00:00.000Z"],
  [1_706_696_430_000, "2024-01-31T10:20:30.000Z"],
  ["1706696430000", "2024-01-31T10:20:30.000Z"],
  [0, "1970-01-01T00:00:00.000Z"],
  [-1, "1969-12-31T23:59:59.999Z"],
  ["-1706696430000", "1915-12-02T13:39:30.000Z"],
];

it.each(instants)("%j is %s", (value, iso) => {
  expect(readInstant(value)).toBe(Date.parse(iso));
});

const texts = [
  "|tomorrow|31.01.2024|01/31/2024|Jan 31 2024|2024-1-31|2024-02-30|2023-02-29|2024-13-01|2024-W05-3|10:20|20240131",
  "2024-01-31T|2024-01-31T10|2024-01-31T24:00|2024-01-31T10:60|2024-01-31T10:20:61|2024-01T10:20|1706696430",
  "2024-01-31T10:20:30+24:00|2024-01-31T10:20:30+03:60|2024-01-31T10:20:30 +03:00|99999999999999999",
].flatMap((line) => line.split("|"));
const others = [
  ...texts,
  `2024-01-31${" ".repeat(100)}`,
  8.7e15,
  Number.NaN,
  null,
  undefined,
  true,
  {},
  [],
  new Date(0),
];

it.each(others)("%o is no instant", (value) => {
  expect(readInstant(value)).toBeUndefined();
});

it("every date is read back from its ISO text and from its epoch ms", () => {
  const dates = fc.date({
    min: new Date("0000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59Z"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      expect([readInstant(date.toISOString()), readInstant(date.getTime())]).toEqual([date.getTime(), date.getTime()]);
    }),
  );
});

import { expect, it } from "vitest";
import { readJsonBody } from "./read-body.ts";

const limit = 1024 * 1024;

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;

function read(body: Body | null, headers: Record<string, string> = {}) {
  const init = { method: "POST", headers, body, duplex: "half" } as const;
  return readJsonBody(new Request("http://localhost/", init), limit);
}

/** Lists in lists inside one object: `levels` in all. */
const nested = (levels: number) => `{"input":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

it("no body is an empty object", async () => {
  expect(await read(null)).toEqual({});
  expect(await read("")).toEqual({});
});

const refused: [name: string, body: Body, message: RegExp][] = [
  ["what is no JSON", "{", /^The body is not valid JSON/],
  ["two documents", "{}{}", /^The body is not valid JSON/],
  ["a list", "[]", /^The body must be a JSON object$/],
  ["a text", '"a"', /^The body must be a JSON object$/],
  ["null", "null", /^The body must be a JSON object$/],
  ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), /not UTF-8/],
  ["65 levels", nested(65), /nested more than 64 levels deep/],
  ["a hundred thousand levels", nested(100_000), /nested more than 64 levels deep/],
];

it.each(refused)("refuses %s", async (_, body, message) => {
  await expect(read(body)).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(message) });
});

it("refuses a body that is compressed, whatever is in it, and takes one that says it is not", async () => {
  for (const encoding of ["gzip", "br", "x-gzip", "identity, gzip"]) {
    const error = { code: "UNSUPPORTED_MEDIA_TYPE", message: expect.stringContaining(encoding) };
    await expect(read("{}", { "content-encoding": encoding })).rejects.toMatchObject(error);
  }
  for (const encoding of ["identity", "UTF-8", ""]) {
    expect(await read("{}", { "content-encoding": encoding })).toEqual({});
  }
});

it("takes 64 levels, and keys that are names of the prototype as plain keys", async () => {
  expect(await read(nested(64))).toHaveProperty("input");
  const body = await read('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(Object.keys(body)).toEqual(["__proto__", "constructor"]);
  expect("polluted" in body).toBe(false);
});

it("a body of the limit passes, one more byte does not, with and without a content-length", async () => {
  const fits = `{"a":"${"x".repeat(limit - 8)}"}`;
  expect(fits).toHaveLength(limit);
  const tooLarge = { code: "PAYLOAD_TOO_LARGE", status: 413 };
  expect(await read(fits)).toHaveProperty("a");
  await expect(read(`${fits} `)).rejects.toMatchObject(tooLarge);
  expect(await read(fits, { "content-length": String(limit) })).toHaveProperty("a");
  await expect(read(`${fits} `, { "content-length": String(limit + 1) })).rejects.toMatchObject(tooLarge);
});

it("stops reading an endless body at the limit", async () => {
  let chunks = 0;
  const endless = new ReadableStream({
    pull(controller) {
      chunks += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  await expect(read(endless)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  expect(chunks).toBeLessThan(20);
});

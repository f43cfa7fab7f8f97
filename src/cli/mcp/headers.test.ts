import { expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { headersOf } from "./headers.ts";

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const encode = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

it.each<[method: string, params: Record<string, Json>, name: string | undefined]>([
  ["tools/list", {}, undefined],
  ["tools/call", { name: "run_action", uri: "x" }, "run_action"],
  ["prompts/get", { name: "debug_run" }, "debug_run"],
  ["resources/read", { uri: "run://1", name: "x" }, "run://1"],
  ["tools/call", { name: "имя" }, encode("имя")],
  ["tools/call", { name: " padded " }, encode(" padded ")],
  ["tools/call", { name: "a\nb" }, encode("a\nb")],
  ["tools/call", { name: "=?base64?x?=" }, encode("=?base64?x?=")],
  ["tools/call", { name: "two words" }, "two words"],
  ["tools/call", { name: "" }, encode("")],
  ["tools/call", { name: 7 }, undefined],
])("%s with %o", (method, params, name) => {
  expect(headersOf({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } })).toEqual({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  });
});

it.each<[Json]>([
  [null],
  [[]],
  [{ method: "ping" }],
  [{ method: "tools/list", params: { _meta: {} } }],
  [{ params: { _meta: meta } }],
])("%o is of no revision that repeats itself in headers", (message) => {
  expect(headersOf(message)).toEqual({});
});

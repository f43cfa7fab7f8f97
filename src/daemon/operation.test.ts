import { expect, it } from "vitest";
import * as z from "zod";
import type { Scope } from "../contract/scopes.ts";
import { collectFields } from "./http/collect-fields.ts";
import { type Request, defineOperation } from "./operation.ts";

const echo = defineOperation({
  name: "echo",
  tool: null,
  title: "Echo",
  description: "Returns its fields.",
  route: ["POST", "/things/:id/echo", 200],
  query: ["wait"],
  scope: "actions:run",
  input: z.object({
    id: z.string(),
    wait: z.int().min(0).max(60).default(0),
    loud: z.boolean().default(false),
    kind: z.enum(["plain", "fancy"]).optional(),
  }),
  output: z.looseObject({}),
  handle: async (_, fields) => ({ ...fields }),
});

function call(fields: Record<string, unknown>, scopes: readonly Scope[] = ["actions:run"]) {
  const caller = { workspaceId: 1, userId: "ada", keyId: null, scopes };
  return echo.call({ caller } as unknown as Request, () => fields);
}

function collect(query: string, body: Record<string, unknown>) {
  return collectFields(echo, { id: "7" }, new URLSearchParams(query), body);
}

it("a caller without the scope is refused before its fields are read", async () => {
  const caller = { workspaceId: 1, userId: "ada", keyId: null, scopes: [] };
  const unread = () => Promise.reject(new Error("was read"));
  await expect(echo.call({ caller } as unknown as Request, unread)).rejects.toMatchObject({
    code: "FORBIDDEN",
    message: "The API key lacks the scope actions:run",
  });
});

it("fills in defaults and tells every problem at once", async () => {
  expect(await call({ id: "7" })).toEqual({ id: "7", wait: 0, loud: false });
  await expect(call({ id: "7", wait: 61, loud: "yes", kind: "fanci" })).rejects.toMatchObject({
    code: "BAD_REQUEST",
    details: [
      { field: "wait", message: "wait must be at most 60" },
      { field: "loud", message: "loud must be true or false" },
      { field: "kind", message: 'kind must be one of "plain", "fancy"; did you mean fancy?' },
    ],
  });
});

it("an unknown field is refused with the nearest name, also one that is a name of the prototype", async () => {
  await expect(call({ id: "7", lout: true })).rejects.toMatchObject({
    details: [{ field: "lout", message: "lout is not a known field; did you mean loud?" }],
  });
  await expect(call(JSON.parse('{"id": "7", "__proto__": {}}'))).rejects.toMatchObject({
    code: "BAD_REQUEST",
    details: [{ field: "__proto__" }],
  });
});

it("a query's text is read as the field's type; an empty value is none", () => {
  expect(collect("wait=5", { loud: true })).toEqual({ id: "7", wait: 5, loud: true });
  expect(collect("wait=", {})).toEqual({ id: "7" });
  expect(collect("wait=5.5", {})).toEqual({ id: "7", wait: "5.5" });
  expect(collect("wait=0x10", {})).toEqual({ id: "7", wait: "0x10" });
});

const misplaced: [name: string, query: string, body: Record<string, unknown>, message: string][] = [
  ["a path field in the body", "", { id: "8" }, "id belongs in the path, not in the body"],
  ["a query field in the body", "", { wait: 5 }, "wait belongs in the query, not in the body"],
  ["a body field in the query", "loud=true", {}, "loud belongs in the body, not in the query"],
  ["a field twice", "wait=1&wait=2", {}, "wait is given twice"],
];

it.each(misplaced)("refuses %s", (_, query, body, message) => {
  expect(() => collect(query, body)).toThrow(message);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readManifest, readManifestText } from "../../src/connectors/manifest/read-manifest.ts";
import { sampleManifest } from "../support/manifests.ts";

const problemsOf = (manifest: unknown) =>
  readManifest(manifest).issues.map(({ path, message }) => `${path} ${message}`);
const operation = (changes: Record<string, unknown>) =>
  sampleManifest({ operations: [{ key: "get", name: "Get", method: "GET", path: "/things", ...changes }] });
const id = { type: "object", required: ["id"], properties: { id: { type: "string" } } };

describe("a manifest", () => {
  it("names every problem at once, with line and column", () => {
    const text = [
      "slug: Desk",
      "name: Desk",
      "version: '1'",
      "baseUrl: ftp://desk.example.com",
      "auth: { type: bearr }",
      "operations:",
      "  - key: get",
      "    name: Get",
      "    method: FETCH",
      "    path: /things/{{input.idd}}",
      "    inputShema: {}",
      "  - key: put",
      "    name: Put",
      "    method: PUT",
      "    path: /things/{{input.idd}}",
      "    inputSchema: { type: object, properties: { id: { type: string } } }",
    ].join("\n");
    const { manifest, issues } = readManifestText(text, "yaml");
    expect(manifest).toBeNull();
    const found = issues.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^1:\d+ slug must be 1 to 57/),
        expect.stringMatching(/^4:\d+ baseUrl must be an http or https address/),
        expect.stringMatching(/^5:\d+ .*did you mean bearer\?/),
        expect.stringMatching(/^9:\d+ operations\[0\].method must be one of/),
        expect.stringMatching(/^11:\d+ There is no field inputShema; did you mean inputSchema\?/),
        expect.stringMatching(/^15:\d+ {{input.idd}}: input has no idd; did you mean id\?/),
      ]),
    );
    expect(readManifestText("slug: [", "yaml").issues[0]).toMatchObject({ code: "invalid_yaml", line: 1 });
    expect(readManifestText('{"slug": }', "json").issues[0]).toMatchObject({
      code: "invalid_json",
      line: 1,
      column: 10,
    });
  });

  it("is told apart where no schema can", () => {
    const twice = { key: "get", name: "Get", method: "GET", path: "/things" };
    expect(problemsOf(sampleManifest({ operations: [twice, twice] }))).toEqual([
      "/operations/1/key get occurs twice; give each key once",
    ]);
    expect(problemsOf(operation({ path: "/a/../b" }))[0]).toMatch(/^\/operations\/0\/path The path has a \. or \.\./);
    expect(problemsOf(operation({ path: "//other.example.com" }))[0]).toMatch(/must begin with one slash/);
    expect(problemsOf(operation({ path: "/a?b=c" }))[0]).toMatch(/belong into request.query/);
    expect(problemsOf(operation({ path: "/{{things.id}}" }))[0]).toMatch(/begins with things: here it can be input/);
    expect(problemsOf(operation({ path: "/{{connection.token}}" }))[0]).toMatch(/connection has no token/);
    expect(problemsOf(operation({ path: "/{{input.id" }))[0]).toMatch(/never closed/);
    expect(problemsOf(operation({ request: { body: {} } }))[0]).toMatch(/A GET has no body/);
    expect(problemsOf(operation({ request: { headers: { Host: "x" } } }))[0]).toMatch(
      /^\/operations\/0\/request\/headers\/Host /,
    );
    expect(problemsOf(operation({ inputSchema: { type: "string" } }))[0]).toMatch(/type must be "object"/);
    expect(problemsOf(operation({ inputSchema: { type: "object", properties: 1 } }))[0]).toMatch(/Not a JSON Schema/);
    expect(problemsOf(operation({ inputSchema: { type: "object", $ref: "https://x.example/s" } }))[0]).toMatch(
      /Not a JSON/,
    );
    expect(problemsOf(sampleManifest({ test: "gett" }))).toEqual(["/test There is no operation gett"]);
    expect(problemsOf(operation({ path: "/{{input.id}}", inputSchema: { ...id, required: [] } }))[0]).toMatch(
      /name it in required/,
    );
    expect(problemsOf(operation({ path: "/{{input.id}}", inputSchema: id }))).toEqual([]);
    expect(problemsOf([])).toEqual([expect.stringContaining("A manifest is an object")]);
  });

  it("never brings its reader down, whatever it is", () => {
    const texts = fc.constantFrom(
      "slug",
      "operations",
      "auth",
      "type",
      "__proto__",
      "inputSchema",
      "{{input.x}}",
      "GET",
      "/a",
    );
    const wild = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 2 }),
        texts,
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(texts, fc.string({ maxLength: 5 })), tie("value"), { maxKeys: 5 }),
      ),
    })).value;
    const names = ["slug", "auth", "operations", "triggers", "baseUrl", "rateLimit", "test", "$schema"];
    const manifests = fc.oneof(
      wild,
      fc
        .record({ part: fc.constantFrom(...names), value: wild })
        .map(({ part, value }) => sampleManifest({ [part]: value })),
      fc
        .record({ part: fc.constantFrom("path", "request", "inputSchema", "response"), value: wild })
        .map(({ part, value }) => operation({ [part]: value })),
    );
    fc.assert(
      fc.property(manifests, (value) => {
        const { manifest, issues } = readManifest(value);
        expect(manifest === null).toBe(issues.some(({ severity }) => severity === "error"));
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json()),
        fc.constantFrom("yaml" as const, "json" as const),
        (text, format) => {
          readManifestText(text, format);
        },
      ),
      { numRuns: 200 },
    );
    expect(Object.hasOwn(Object.prototype, "slug")).toBe(false);
  });
});

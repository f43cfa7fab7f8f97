import { stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { buildManifest } from "../../src/connectors/build-manifest.ts";
import { convertDocument } from "../../src/connectors/openapi/convert-document.ts";
import { exampleText, figmaText, sampleManifest } from "../support/manifests.ts";

type Data = Record<string, unknown>;

const range = (count: number): number[] => [...Array(count).keys()];

const get = (changes: Data) => ({ "/things": { get: { responses: {}, ...changes } } });
const describeApi = (changes: Data): Data => ({
  openapi: "3.0.3",
  info: { title: "Things", version: "2" },
  servers: [{ url: "https://api.example.com/v1/" }],
  paths: get({}),
  ...changes,
});
function convert(changes: Data) {
  const { manifest, issues } = convertDocument(JSON.stringify(describeApi(changes)), "things");
  if (!manifest) throw new Error(JSON.stringify(issues));
  return { ...manifest, warnings: issues.map(({ path, message }) => `${path} ${message}`) };
}
const operationOf = (changes: Data, more: Data = {}) => convert({ paths: get(changes), ...more }).operations[0];
const bodyOf = (schema: unknown, more: Data = {}) =>
  convert({
    paths: { "/things": { post: { requestBody: { content: { "application/json": { schema } } } } } },
    ...more,
  }).operations[0]?.inputSchema["properties"] as { body: Data };

describe("an API description", () => {
  it.each([
    ["3.0/json/petstore", 20, "http://petstore.swagger.io/v2"],
    ["3.1/json/petstore", 20, "http://petstore.swagger.io/v2"],
    ["3.0/json/schema-circular", 3, "https://httpbin.org"],
    ["3.0/json/circular-paths", 3, "https://httpbin.org/anything"],
    ["3.0/json/circular-request-bodies", 4, "https://httpbin.org"],
    ["3.0/json/complex-nesting", 5, "https://httpbin.org"],
    ["3.0/json/security", 15, "https://httpbin.org"],
    ["3.0/json/uspto", 3, "https://developer.uspto.gov/ds-api"],
    ["3.1/json/readme", 54, "https://api.readme.com/v2"],
    ["3.1/json/train-travel", 7, "https://api.example.com"],
    ["3.1/json/schema-types", 23, "https://httpbin.org"],
  ])("of the real world (%s) becomes a manifest that can be built again", (name, operations, baseUrl) => {
    const { manifest } = convertDocument(exampleText(name), "example");
    expect([manifest?.operations.length, manifest?.baseUrl]).toEqual([operations, baseUrl]);
    const text = JSON.stringify(manifest);
    expect(text.includes('"$ref":')).toBe(false);
    const again = buildManifest({ kind: "file", slug: null, fallbackSlug: null }, text);
    expect(again.issues.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(JSON.stringify(again.manifest) === text).toBe(true);
  });

  it("of a hundred operations becomes a manifest", () => {
    const { manifest } = convertDocument(exampleText("3.0/json/star-trek"), "star-trek");
    expect([manifest?.operations.length, manifest?.baseUrl]).toEqual([120, "http://stapi.co/api/v1/rest"]);
  });

  it("may be YAML", () => {
    const { manifest, issues } = convertDocument(figmaText(), "figma");
    expect([manifest?.operations.length, manifest?.auth.type, issues]).toEqual([54, "api_key", []]);
    const getFile = manifest?.operations.find(({ key }) => key === "getFile");
    expect(getFile).toMatchObject({
      method: "GET",
      path: "/v1/files/{{input.file_key}}",
      inputSchema: { required: ["file_key"] },
      request: { query: { depth: "{{input.depth}}" } },
    });
    const yaml = stringify(describeApi({}));
    expect(buildManifest({ kind: "file", slug: "things", fallbackSlug: null }, yaml).manifest?.slug).toBe("things");
    const manifestText = stringify(sampleManifest({ description: "openapi: no" }));
    expect(buildManifest({ kind: "file", slug: null, fallbackSlug: null }, manifestText).manifest?.slug).toBe("desk");
  });

  it("keeps parameters of every place, styles and names that need brackets", () => {
    const parameters = [
      { name: "id", in: "path", required: true, schema: { type: "integer" } },
      { name: "id", in: "query", schema: { type: "string" } },
      { name: "filter[a]", in: "query", style: "deepObject", schema: { type: "object" } },
      { name: "tags", in: "query", explode: false, schema: { type: "array", items: { type: "string" } } },
      { name: "X-Trace", in: "header", schema: { type: "string" } },
      { name: "Authorization", in: "header", schema: { type: "string" } },
      { name: "Host", in: "header", schema: { type: "string" } },
      { name: "session", in: "cookie", schema: { type: "string" } },
    ];
    const { operations, warnings } = convert({ paths: { "/a/{id}/{other}": { parameters, get: {} } } });
    const [operation] = operations;
    expect(operation).toMatchObject({
      key: "get_a_id_other",
      path: "/a/{{input.id}}/{{input.other}}",
      request: {
        query: { id: "{{input.query_id}}", "filter[a]": '{{input["filter[a]"]}}', tags: "{{input.tags}}" },
        queryStyle: { "filter[a]": "deep", tags: "comma" },
        headers: { "X-Trace": "{{input.X-Trace}}" },
        cookies: { session: "{{input.session}}" },
      },
    });
    expect(operation?.inputSchema["required"]).toEqual(["id", "other"]);
    expect(warnings.slice(1)).toEqual([
      expect.stringContaining("The header parameter Host can't be given"),
      expect.stringContaining("names {other}, which is no parameter"),
    ]);
  });

  it("has keys that are unique, and the same each time", () => {
    const paths = { "/a": { get: { operationId: "a/list" }, post: { operationId: "a list" } }, "/b": { get: {} } };
    expect(convert({ paths }).operations.map(({ key }) => key)).toEqual(["a_list", "a_list_2", "get_b"]);
  });

  it("leaves out what can't be called and says so", () => {
    const body = (type: string, required: boolean) => ({
      requestBody: { required, content: { [type]: { schema: {} } } },
    });
    const paths = {
      "/png": { post: body("image/png", true), put: body("image/png", false) },
      "/form": { post: body("application/x-www-form-urlencoded", true) },
      "/far": { get: { servers: [{ url: "https://uploads.example.com" }] } },
      "/near": { get: { servers: [{ url: "https://api.example.com/v1/near" }] } },
      "/label/{id}": { get: { parameters: [{ name: "id", in: "path", required: true, style: "label" }] } },
      "/{id}": {
        get: { parameters: [{ name: "id", in: "path", required: true, schema: { type: "object", properties: 1 } }] },
      },
    };
    const { operations, warnings } = convert({ paths });
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /png",
      "POST /form",
      "GET /near/near",
      "GET /{{input.id}}",
    ]);
    expect(operations[1]?.request.contentType).toBe("application/x-www-form-urlencoded");
    expect(warnings.slice(1)).toEqual([
      expect.stringMatching(/^\/paths\/~1png\/post post_png was left out: its body is image\/png/),
      expect.stringMatching(/put_png: Its body, image\/png, can't be sent/),
      expect.stringMatching(/get_far was left out: it has a server of its own/),
      expect.stringMatching(/was left out: its path parameter id has the style label/),
    ]);
  });

  it("inlines references, cuts circles where they close, and keeps a large schema finite", () => {
    const components = {
      schemas: {
        Node: {
          type: "object",
          required: ["id", "made"],
          properties: {
            id: { type: "string", nullable: true },
            made: { type: "string", readOnly: true },
            next: { $ref: "#/components/schemas/Node" },
            size: { type: "integer", default: 3, minimum: 0, exclusiveMinimum: true },
            kind: { oneOf: [{ type: "string" }, { $ref: "#/components/schemas/Node" }] },
            gone: { $ref: "other.yaml#/X" },
          },
        },
        ...Object.fromEntries(
          range(40).map((at) => [
            `W${at}`,
            {
              type: "object",
              properties: Object.fromEntries(
                range(5).map((to) => [`p${to}`, { $ref: `#/components/schemas/W${(at + to + 1) % 40}` }]),
              ),
            },
          ]),
        ),
      },
    };
    const { body } = bodyOf({ $ref: "#/components/schemas/Node" }, { components });
    expect(body).toMatchObject({
      required: ["id"],
      properties: {
        id: { type: ["string", "null"] },
        next: { type: "object", description: "(a Node again)" },
        size: { type: "integer", description: "Default: 3", exclusiveMinimum: 0 },
        kind: { anyOf: [{ type: "string" }, { type: "object" }] },
        gone: { description: "(X is not part of the document)" },
      },
    });
    expect(body["properties"]).not.toHaveProperty("made");
    expect(JSON.stringify(body)).not.toMatch(/"\$ref"|"default"/);
    const wide = bodyOf({ $ref: "#/components/schemas/W0" }, { components }).body;
    expect(JSON.stringify(wide).length).toBeLessThan(60_000);
    expect(wide).toMatchObject({ properties: { p0: { type: "object", properties: { p1: { type: "object" } } } } });
  });

  it.each<[string, Data, unknown]>([
    [
      "apiKey in a header",
      { a: { type: "apiKey", in: "header", name: "X-Key" } },
      { type: "api_key", in: "header", name: "X-Key" },
    ],
    [
      "apiKey in a cookie",
      { a: { type: "apiKey", in: "cookie", name: "sid" } },
      { type: "custom", headers: { Cookie: "sid={{connection.a}}" } },
    ],
    ["basic", { a: { type: "http", scheme: "Basic" } }, { type: "basic" }],
    ["bearer", { a: { type: "http", scheme: "bearer" } }, { type: "bearer" }],
    [
      "oauth2",
      {
        a: {
          type: "oauth2",
          flows: {
            authorizationCode: {
              authorizationUrl: "https://a.example/a",
              tokenUrl: "https://a.example/t",
              scopes: { r: "" },
            },
          },
        },
      },
      { type: "oauth2", grant: "authorization_code", tokenUrl: "https://a.example/t", scopes: ["r"] },
    ],
    ["nothing", {}, { type: "bearer", optional: true }],
  ])("says how calls authenticate: %s", (_, securitySchemes, auth) => {
    const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
    expect(convert({ components: { securitySchemes }, security }).auth).toMatchObject(auth as Data);
  });

  it("fills server variables in, and needs an address of the connection where it has none", () => {
    const servers = [
      { url: "https://{region}.example.com/{v}", variables: { region: { default: "eu" }, v: { default: "v2" } } },
    ];
    expect(convert({ servers }).baseUrl).toBe("https://eu.example.com/v2");
    const relative = convert({ servers: [{ url: "/api" }] });
    expect([
      relative.baseUrl,
      relative.warnings.some((one) => one.includes("every connection needs the setting baseUrl")),
    ]).toEqual([null, true]);
  });

  it.each([
    ['{"openapi": "3.0.0"', { code: "invalid_json", line: 1, column: 20 }],
    ["openapi: 3.0.0\npaths: [", { code: "invalid_yaml", line: 2 }],
    ["swagger: '2.0'", { code: "unsupported_version", message: expect.stringContaining("It says 2.0") }],
    ["[]", { code: "invalid_openapi" }],
    ["openapi: 3.1.0", { code: "no_operations" }],
    [
      `a: &a [x, x, x, x, x, x, x, x, x]\n${"bcdefgh"
        .split("")
        .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[at]}`).join(", ")}]`)
        .join("\n")}`,
      { code: "not_json" },
    ],
  ])("that can't be used is refused with its reason (%s)", (text, issue) => {
    const { manifest, issues } = convertDocument(text, "things");
    expect(manifest).toBeNull();
    expect(issues.find(({ severity }) => severity === "error")).toMatchObject(issue);
  });

  it("tells of an operation what it takes and gives", () => {
    const responses = {
      200: { content: { "application/json": { schema: { type: "array", items: { type: "string" } } } } },
    };
    expect(operationOf({ summary: "List", description: "All.", deprecated: true, responses })).toMatchObject({
      name: "List",
      description: "Deprecated. All.",
      outputSchema: { type: "array", items: { type: "string" } },
    });
  });
});

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compileManifest } from "../../src/connectors/manifest/compile-manifest.ts";
import { readManifest } from "../../src/connectors/manifest/read-manifest.ts";
import type { Connector } from "../../src/engine/connector.ts";

type Data = Record<string, unknown>;

/** A manifest with one operation unless others are given. */
export function sampleManifest(changes: Data = {}): Data {
  const get = { key: "get", name: "Get", method: "GET", path: "/things" };
  return {
    slug: "desk",
    name: "Desk",
    version: "1",
    baseUrl: "https://desk.example.com",
    operations: [get],
    ...changes,
  };
}

/** The connector of a manifest; throws with its issues when it is refused. */
export function compile(manifest: Data): Connector {
  const read = readManifest(manifest);
  if (!read.manifest) throw new Error(JSON.stringify(read.issues, null, 2));
  const { operations, triggers, ...head } = read.manifest;
  const lazy = operations.map((operation) => ({ ...operation, load: () => operation }));
  return compileManifest(head, lazy, triggers);
}

const resolve = createRequire(import.meta.url).resolve;

/** One of the descriptions of @readme/oas-examples, such as `3.0/json/petstore`. */
export function exampleText(name: string): string {
  const folder = dirname(resolve("@readme/oas-examples/package.json"));
  return readFileSync(join(folder, `${name}.json`), "utf8");
}

/** Figma's description of its own API, in YAML. */
export function figmaText(): string {
  return readFileSync(resolve("@figma/rest-api-spec/openapi/openapi.yaml"), "utf8");
}

/** A description with so many operations, schemas that refer to each other in circles, and about so many characters. */
export function generatedDescription(operations: number, characters: number): Data {
  const words = "a word of many ".repeat(Math.max(1, Math.ceil(characters / operations / 2 / 15)));
  const schemas: Data = {};
  const paths: Data = {};
  for (let at = 0; at < operations; at += 1) {
    const ref = (to: number) => ({ $ref: `#/components/schemas/S${(at + to) % operations}` });
    schemas[`S${at}`] = {
      type: "object",
      description: words,
      required: ["id"],
      properties: {
        id: { type: "string" },
        own: ref(0),
        next: ref(1),
        far: { type: "array", items: ref(7) },
        up: ref(-1 + operations),
      },
    };
    const body = { required: true, content: { "application/json": { schema: ref(0) } } };
    const answered = { content: { "application/json": { schema: { type: "array", items: ref(3) } } } };
    paths[`/things${at}/{id}`] = {
      post: {
        operationId: `thing/${at}`,
        description: words,
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        requestBody: body,
        responses: { 200: { description: "ok", ...answered } },
      },
    };
  }
  const info = { title: "Things", version: "1" };
  return { openapi: "3.1.0", info, servers: [{ url: "https://things.example.com" }], paths, components: { schemas } };
}

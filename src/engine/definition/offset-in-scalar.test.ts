import { expect, it } from "vitest";
import { parseWorkflowFile } from "./parse-workflow.ts";

const code = "export const run = () => {\n  const text = 'a\\t\\u00e9';\n\n  return textt;\n}\n";
const indented = code.replaceAll(/^(?=.)/gm, "        ");

it.each([
  ["a block", "yaml", `name: x\nnodes:\n  - id: a\n    type: code\n    data:\n      code: |\n${indented}edges: []\n`],
  ["a text of the flow form", "yaml", `nodes: [{id: a, type: code, data: {code: ${JSON.stringify(`\n\n${code}`)}}}]`],
  ["a quoted text", "yaml", `nodes:\n  - {id: a, type: code, data: {code: ${JSON.stringify(code)}}}\n`],
  ["JSON", "json", `{"nodes": [{"id": "a", "type": "code", "data": {"code": ${JSON.stringify(code)}}}]}`],
] as const)("a place in a script is found in %s", (_, format, file) => {
  const { locate } = parseWorkflowFile(file, format);
  const shift = file.includes('"\\n\\n') ? 2 : 0;
  const place = locate("/nodes/0/data/code", { line: 4 + shift, column: 10 });
  const line = file.split("\n")[(place?.line ?? 0) - 1] ?? "";
  expect(line.slice((place?.column ?? 0) - 1)).toMatch(/^textt;/);
});

it("a place in a plain text of one line is found, and one that can't be is the text's own", () => {
  const file = "nodes:\n  - id: a\n    data:\n      plain: a b c\n      folded: >-\n        a\n\n        b\n";
  const { locate } = parseWorkflowFile(file, "yaml");
  expect(locate("/nodes/0/data/plain", { line: 1, column: 3 })).toEqual({ line: 4, column: 16 });
  expect(locate("/nodes/0/data/folded", { line: 2, column: 1 })).toEqual({ line: 5, column: 15 });
});

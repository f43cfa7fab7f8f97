import { expect, it } from "vitest";
import { type Reach, mcpClients } from "./clients.ts";
import { editJson } from "./json-config.ts";

const program: Reach = { command: "/bin/stepgate", args: ["mcp", "stdio"] };
const address: Reach = { url: "http://127.0.0.1:7717/mcp" };
const server = { type: "stdio", ...program };

it("an empty file becomes one with our server alone", () => {
  const text = editJson("", mcpClients["claude-code"].config(program));
  expect(JSON.parse(text)).toEqual({ mcpServers: { stepgate: server } });
  expect(text.endsWith("}\n")).toBe(true);
});

it("comments, other servers, tabs and ends of lines stay", () => {
  const text = '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "x", }, // last\r\n\t},\r\n}\r\n';
  const edited = editJson(text, mcpClients["claude-code"].config(program));
  expect(edited).toContain("\t// mine\r\n");
  expect(edited).toContain('\r\n\t\t"other": { "command": "x", }, // last\r\n');
  expect(edited).toContain('\t\t"stepgate": {\r\n\t\t\t"type": "stdio"');
});

it("an earlier entry is replaced, and doing it again changes nothing", () => {
  const old = '{"mcpServers": {"stepgate": {"command": "old", "env": {"A": "1"}}}}';
  const edited = editJson(old, mcpClients.cursor.config(program));
  expect(JSON.parse(edited)).toEqual({ mcpServers: { stepgate: { ...program } } });
  expect(editJson(edited, mcpClients.cursor.config(program))).toBe(edited);
});

it("an input that the client asks for is added once, beside others", () => {
  const text = '{"inputs": [{"id": "mine"}], "servers": {}}';
  const once = editJson(text, mcpClients.vscode.config(address));
  expect(JSON.parse(once)).toMatchObject({ inputs: [{ id: "mine" }, { id: "stepgate-key", password: true }] });
  expect(editJson(once, mcpClients.vscode.config(address))).toBe(once);
});

it.each([
  ['{\n  "a": [1,\n', "is no JSON: ValueExpected in line 3"],
  ["[]", "is no JSON object"],
])("%s is refused", (text, message) => {
  expect(() => editJson(text, mcpClients.cursor.config(program))).toThrow(message);
});

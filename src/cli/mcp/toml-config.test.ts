import { expect, it } from "vitest";
import { type Reach, mcpClients } from "./clients.ts";
import { editToml, writeToml } from "./toml-config.ts";

const program: Reach = { command: 'C:\\the "app"\\stepgate', args: ["mcp", "stdio"], env: { STEPGATE_HOME: "/a b" } };
const config = mcpClients.codex.config(program);

const table = `[mcp_servers.stepgate]
command = "C:\\\\the \\"app\\"\\\\stepgate"
args = ["mcp", "stdio"]
env = { "STEPGATE_HOME" = "/a b" }
`;

it("the configuration is a table of its own", () => {
  expect(writeToml(config)).toBe(table);
  expect(editToml("", config)).toBe(table);
});

it("a new table comes after what is there, which stays as it is", () => {
  const text = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n';
  expect(editToml(text, config)).toBe(`${text}\n${table}`);
});

it("an earlier table and those below it are replaced, and doing it again changes nothing", () => {
  const old = '[a]\nb = 1\n\n[mcp_servers.stepgate]\nurl = "x"\n\n[mcp_servers.stepgate.env]\nA = "1"\n\n[c]\nd = 2\n';
  const edited = editToml(old, config);
  expect(edited).toBe(`[a]\nb = 1\n\n[c]\nd = 2\n\n${table}`);
  expect(editToml(edited, config)).toBe(edited);
});

it("a table of a name that begins like ours stays", () => {
  const other = '[mcp_servers.stepgate2]\ncommand = "y"\n';
  expect(editToml(other, config)).toBe(`${other}\n${table}`);
});

it.each(['mcp_servers = { stepgate = { command = "x" } }\n', 'mcp_servers.stepgate = { command = "x" }\n'])(
  "%s is in a form that is left alone",
  (text) => {
    expect(() => editToml(text, config)).toThrow("only its own program");
  },
);

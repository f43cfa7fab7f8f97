import type { NamedVariable } from "../../contract/named-value.ts";
import { defineCommand } from "../command.ts";
import { namedArgument, printVariable } from "../named-value.ts";
import { argument } from "../option.ts";
import { readSource } from "../read-input.ts";

export const varsSet = defineCommand({
  name: "set",
  summary: "set a variable, which templates read as {{var.NAME}}",
  arguments: {
    name: namedArgument("variable"),
    value: argument("its text; @FILE for a file's, - for stdin", { mayBeEmpty: true }),
  },
  examples: ["vars set SHOP_URL https://shop.example", "vars set FOOTER @footer.txt"],
  async action({ control, output, terminal }, { name, value }) {
    const text = await readSource(value, terminal.stdin);
    const client = await control();
    await printVariable(
      output,
      await client.post<NamedVariable>(`/control/vars/${encodeURIComponent(name)}`, { value: text }),
    );
  },
});

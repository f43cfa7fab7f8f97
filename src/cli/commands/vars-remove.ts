import type { NamedVariable } from "../../contract/named-value.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { namedArgument, printVariable } from "../named-value.ts";
import { safeText } from "../safe-text.ts";

export const varsRemove = defineCommand({
  name: "remove",
  summary: "remove a variable; templates that read it get nothing",
  arguments: { name: namedArgument("variable") },
  examples: ["vars remove SHOP_URL --yes"],
  async action(context, { name }) {
    await confirm(context, `Remove the variable ${safeText(name)}?`);
    const client = await context.control();
    const path = `/control/vars/${encodeURIComponent(name)}/remove`;
    await printVariable(context.output, await client.post<NamedVariable>(path));
  },
});

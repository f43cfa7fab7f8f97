import type { NamedSecret } from "../../contract/named-value.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../context.ts";
import { namedArgument, printSecret } from "../named-value.ts";
import { safeText } from "../safe-text.ts";

export const secretsRemove = defineCommand({
  name: "remove",
  summary: "remove a secret; steps that read it fail from then on",
  arguments: { name: namedArgument("secret") },
  examples: ["secrets remove SHOP_TOKEN --yes"],
  async action(context, { name }) {
    await confirm(context, `Remove the secret ${safeText(name)}? Its value can't be had back.`);
    const client = await context.control();
    const path = `/control/secrets/${encodeURIComponent(name)}/remove`;
    await printSecret(context.output, await client.post<NamedSecret>(path));
  },
});

import type { ConnectionBody, ConnectionFields } from "../../contract/connection.ts";
import { askFields } from "../ask-fields.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { connectionArgument, connectionPath, printConnection } from "../connection.ts";
import { canAsk } from "../context.ts";
import { flag, value } from "../option.ts";
import { readConnectionFields } from "./connections-add.ts";

export const connectionsUpdate = defineCommand({
  name: "update",
  summary: "replace a connection's settings or credentials; the next call uses them",
  arguments: { connection: connectionArgument },
  options: {
    settings: value("JSON", "the new settings, all of them; @FILE, - for stdin"),
    secrets: value("@FILE", "the new credentials, a JSON object in a file; - for stdin. Never the object itself"),
    askSecrets: flag("be asked for the new credentials"),
    requireApproval: flag("every call through it waits for an approval from now on"),
    noApproval: flag("calls through it go on without an approval from now on"),
    attach: flag("use it again although the host of its connector has changed"),
  },
  examples: [
    "connections update shop --secrets @new.json",
    "connections update shop --ask-secrets",
    'connections update shop --settings \'{"baseUrl":"https://shop.example/v2"}\' --require-approval',
  ],
  async action(context, { connection, settings, secrets, askSecrets, requireApproval, noApproval, attach }) {
    const given = await readConnectionFields(context, { settings, secrets });
    if (requireApproval && noApproval) {
      throw new CliError("usage", "--require-approval and --no-approval contradict each other.");
    }
    const client = await context.control();
    const change = {
      ...(settings !== undefined && { settings: given.settings }),
      ...(secrets !== undefined && { secrets: given.secrets }),
      ...((requireApproval || noApproval) && { require_approval: requireApproval }),
      ...(attach && { attach }),
    };
    if (askSecrets) {
      if (!canAsk(context))
        throw new CliError("usage", "There is nobody to ask here.", { hint: "give --secrets @FILE" });
      const { connector } = await client.get<ConnectionBody>(connectionPath(connection));
      const path = `/control/connection-fields/${encodeURIComponent(connector)}`;
      const { fields } = await client.get<ConnectionFields>(path);
      const hidden = fields.filter((field) => field.secret);
      const asked = await askFields(context, hidden, { settings: {}, secrets: {} }, { isWhole: true });
      Object.assign(change, { secrets: asked.secrets });
    }
    if (Object.keys(change).length === 0) {
      const hint = "give --settings, --secrets, --ask-secrets, --require-approval, --no-approval or --attach";
      throw new CliError("usage", "There is nothing to change.", { hint });
    }
    await printConnection(
      context.output,
      await client.post<ConnectionBody>(`${connectionPath(connection)}/update`, change),
    );
  },
});

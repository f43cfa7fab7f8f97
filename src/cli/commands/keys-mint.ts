import type { MintRequest } from "../../contract/control.ts";
import type { MintedKey } from "../../contract/key.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { value, values } from "../option.ts";
import { parseMoment } from "../parse-duration.ts";
import { printMintedKey } from "../print-minted-key.ts";
import { mintInto } from "../write-key-file.ts";

export const keysMint = defineCommand({
  name: "mint",
  summary: "make an API key; its secret is shown once and never again",
  options: {
    name: value("NAME", "what the key is for (required)"),
    scope: values("SCOPE", "what the key may do, else the six of an agent"),
    expires: value("WHEN", "30s, 10m, 90d or a date-time; absent: never", {
      parse: (text) => parseMoment(text, new Date(), "ahead").toISOString(),
    }),
    user: value("USER", "whose key it is, else yours"),
    out: value("FILE", "write the secret to this new file (mode 0600) instead of showing it"),
  },
  examples: ["keys mint --name agent", "keys mint --name ci --scope actions:run --expires 90d --out ci.key"],
  async action({ control, output }, { name, scope, expires, user, out }) {
    if (name === undefined) throw new CliError("usage", "A key needs a name.", { hint: "give --name NAME" });
    const client = await control();
    // The daemon refuses a scope that there isn't.
    const request: Omit<MintRequest, "scopes"> & { scopes?: readonly string[] } = {
      name,
      ...(scope.length > 0 ? { scopes: scope } : {}),
      ...(expires === undefined ? {} : { expires_at: expires }),
      ...(user === undefined ? {} : { user }),
    };
    const mint = async () => client.post<MintedKey>("/control/keys", request);
    await printMintedKey(output, out === undefined ? await mint() : await mintInto(out, mint), out);
  },
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../contract/home.ts";
import type { MintedKey } from "../../contract/key.ts";
import { mintInto } from "../write-key-file.ts";
import { readStatus } from "../commands/status.ts";
import type { Context } from "../context.ts";

/** The file with the key of this machine's own MCP clients, where no other key is named. */
export function mcpKeyFile({ dataDir }: Home): string {
  return join(dataDir, "mcp.key");
}

/** That file; it is made with a new key when it is missing and the daemon runs. Null where there is none to be used. */
export async function provideKey({
  remoteAddress,
  terminal: { env },
  wiring,
  control,
  output,
}: Context): Promise<string | null> {
  if (await remoteAddress()) return null;
  const file = mcpKeyFile(await wiring.resolveHome(env));
  if (existsSync(file)) return file;
  const daemon = await control();
  if (!(await readStatus(daemon))) {
    output.note(
      `There is no key yet, for the daemon is not running. Later: stepgate keys mint --name mcp --out ${file}`,
    );
    return null;
  }
  const { scopes } = await mintInto(file, async () => daemon.post<MintedKey>("/control/keys", { name: "mcp" }));
  output.note(`A new key is in ${file}: ${scopes.join(" ")}`);
  return file;
}

import type { DaemonStatus } from "../../contract/control.ts";
import type { KeyList, MintedKey } from "../../contract/key.ts";
import { textCell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { launchDaemon } from "../daemon/launch.ts";
import { value, wholeNumber } from "../option.ts";
import { parseDuration } from "../parse-duration.ts";
import { printSheet } from "../print.ts";
import { mintInto } from "../write-key-file.ts";
import { readStatus } from "./status.ts";

/** Of the key that a first start mints (cli.md, first run). */
const firstKey = "local-agent";

export const start = defineCommand({
  name: "start",
  summary: "start the daemon in the background and wait until it answers",
  options: {
    host: value("HOST", "address to listen on ($STEPGATE_HOST, else 127.0.0.1)"),
    port: value("PORT", "port to listen on, 0 for any free one ($STEPGATE_PORT, else 7717)", {
      parse: wholeNumber(0, 65_535),
    }),
    waitReady: value("TIME", "give up waiting after this time (10s)", { parse: parseDuration }),
    keyOut: value("FILE", "write a new key with an agent's six scopes into this new file (mode 0600)"),
  },
  examples: ["start", "start --port 0 --key-out agent.key"],
  async action(context, { host, port, waitReady, keyOut }) {
    const { control, output } = context;
    const running = await readStatus(await control());
    if (running) output.note("The daemon runs already.");
    else output.note("starting …");
    const { status, isOwn } = running
      ? { status: running, isOwn: false }
      : await launchDaemon(context, { host, port, waitMs: waitReady ?? 10_000 });
    const key = await provideFirstKey(context, keyOut);
    await printStarted(context, status, isOwn, key, keyOut);
  },
});

/**
 * Where nobody has a key yet, the person at the terminal gets one, once; a program gets one only into a file. Never into a
 * log or a pipe.
 */
async function provideFirstKey({ control, output }: Context, keyOut: string | undefined): Promise<MintedKey | null> {
  const client = await control();
  const mint = async () => client.post<MintedKey>("/control/keys", { name: firstKey });
  if (keyOut !== undefined) return mintInto(keyOut, mint);
  if (output.format !== "table") return null;
  const { keys } = await client.get<KeyList>("/control/keys");
  return keys.length === 0 ? mint() : null;
}

async function printStarted(
  { output, wiring, terminal }: Context,
  status: DaemonStatus,
  isNew: boolean,
  key: MintedKey | null,
  keyOut: string | undefined,
): Promise<void> {
  const { logFile } = await wiring.resolveHome(terminal.env);
  const shownKey = key === null ? [] : [["key", textCell(keyOut ?? key.secret, "bold")] as const];
  await printSheet(output, {
    json: { ...status, started: isNew, log: logFile, ...(keyOut === undefined ? {} : { key_file: keyOut }) },
    id: status.instance_id,
    fields: [
      ["state", textCell(isNew ? "started" : "running", "green")],
      ["url", textCell(status.url)],
      ["pid", textCell(status.pid)],
      ["log", textCell(logFile)],
      ...shownKey,
    ],
  });
  if (key === null) return;
  if (keyOut === undefined) output.note("Keep the key now: it is stored nowhere and never shown again.");
  output.note("Connect an agent: stepgate mcp install claude-code   Publish: stepgate publish FILE");
}

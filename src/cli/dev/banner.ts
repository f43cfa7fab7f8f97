import { textCell } from "../cell.ts";
import type { Home } from "../../contract/home.ts";
import { quote } from "../mcp/config-file.ts";
import { launcherPath } from "../mcp/launcher.ts";
import type { Output } from "../output.ts";
import { printTable } from "../print.ts";
import type { RunningDaemon } from "../wiring.ts";

type Session = {
  daemon: RunningDaemon;
  home: Home;
  keyFile: string;
  folder: string;
  watched: readonly string[];
  isTemporary: boolean;
};

/** Where everything is, and what to type elsewhere to use it. The key itself is in its file alone. */
export async function printBanner(output: Output, session: Session): Promise<void> {
  const { daemon, home, keyFile, folder, watched, isTemporary } = session;
  if (output.format === "json" || output.format === "jsonl") {
    return output.document({ type: "ready", url: daemon.url, home: folder, db: home.database, key_file: keyFile });
  }
  if (output.format === "ids") return;
  const elsewhere = `STEPGATE_HOME=${quote(folder)}`;
  const mcp = `claude mcp add stepgate --env ${elsewhere} -- ${quote(launcherPath())} mcp stdio`;
  await printTable(
    { ...output, width: Number.POSITIVE_INFINITY },
    [],
    [
      [textCell("url", "dim"), textCell(daemon.url, "bold")],
      [textCell("database", "dim"), textCell(`${home.database}${isTemporary ? " (goes at the end)" : ""}`)],
      [textCell("key", "dim"), textCell(`in ${keyFile}`)],
      [textCell("commands", "dim"), textCell(`export ${elsewhere}`)],
      [textCell("agents", "dim"), textCell(mcp)],
      [textCell("watching", "dim"), textCell(watched.join(" "))],
    ],
  );
  output.note("Ctrl-C stops it.");
}

import type { DaemonStatus } from "../../contract/control.ts";
import { readStatus } from "../commands/status.ts";
import { reasonOf } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { checkClock, checkDisk, checkLeftovers, checkModes } from "./check-files.ts";
import { checkHealth, checkKey, checkPort } from "./check-network.ts";
import { checkClients, checkConfiguration, checkTerminal, checkTimeZones } from "./check-surroundings.ts";
import type { Examined, Finding } from "./finding.ts";

/** Every check in the order in which they are shown. Never throws: what fails is a finding. */
export async function examine(context: Context): Promise<Finding[]> {
  const { wiring, terminal } = context;
  const home = await wiring.resolveHome(terminal.env);
  const [{ checks: parts }, files, status] = await Promise.all([
    wiring.selfCheck(),
    safely("lock", async () => wiring.checkHome(home)),
    readLocal(context),
  ]);
  const examined: Examined = { context, home, status };
  const isLocked = files.some(({ name, message }) => name === "lock" && message.startsWith("Held"));
  const rest = await Promise.all([
    safely("folders", async () => [checkModes(examined)]),
    safely("config", async () => checkConfiguration(examined)),
    safely("daemon", async () => [checkLeftovers(examined, isLocked)]),
    safely("port", async () => [await checkPort(examined)]),
    safely("health", async () => checkHealth(examined)),
    safely("disk", async () => checkDisk(examined)),
    safely("clock", async () => [checkClock(examined), checkTimeZones()]),
    safely("terminal", async () => [checkTerminal(examined)]),
    safely("key", async () => checkKey(examined)),
    safely("mcp", async () => checkClients(examined)),
  ]);
  return [...parts, ...files, ...rest.flat()];
}

/** No daemon and one that does not answer look the same from here. */
async function readLocal({ control }: Context): Promise<DaemonStatus | null> {
  return control()
    .then(readStatus)
    .catch(() => null);
}

async function safely(name: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [{ name, status: "fail", message: reasonOf(error) }];
  }
}

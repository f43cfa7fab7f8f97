import { spawn } from "node:child_process";

/** The program that shows an address: the user's own choice, else the desktop's. Null where there is none. */
function browserOf(env: NodeJS.ProcessEnv): readonly string[] | null {
  const own = env["BROWSER"]?.split(":")[0]?.trim();
  // The variable may hold arguments, as `firefox --private-window`.
  if (own) return own.split(/\s+/);
  if (process.platform === "darwin") return ["open"];
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  return hasScreen ? ["xdg-open"] : null;
}

/** Has the user's browser show an address, without a shell; whether there is one that could be started. */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...given] = browserOf(env) ?? [];
  if (program === undefined) return false;
  const { promise: started, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...given, url], { env, stdio: "ignore", detached: true });
  child.once("error", () => resolve(false));
  child.once("spawn", () => resolve(true));
  child.unref();
  return started;
}

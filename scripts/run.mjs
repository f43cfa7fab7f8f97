// Starts a tool on the pinned Node, whatever Node npm itself runs on.
// usage: node scripts/run.mjs <node | name of a package's bin> [arguments…]
import { spawn } from "node:child_process";
import { dirname, delimiter } from "node:path";
import { pinnedNode, toolPath } from "./pinned-node.mjs";

const [tool, ...args] = process.argv.slice(2);
const node = pinnedNode();
const command = tool === "node" ? args : [toolPath(tool), ...args];
const child = spawn(node, command, {
  stdio: "inherit",
  env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` },
});
// A terminal sends Ctrl-C to the whole group; a supervisor signals this process alone. Pass both on.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  // The system's loader ends this way, after it named the library.
  if (code === 127 && process.platform === "linux") {
    process.stderr.write(
      "stepgate: the pinned Node can't be loaded here. Stepgate needs glibc 2.34, libstdc++ of GCC 12 and libatomic, which slim " +
        "images lack: apt-get install libatomic1\n",
    );
  }
  if (signal) process.removeAllListeners(signal);
  if (signal) process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
});

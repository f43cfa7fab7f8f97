// npm run check: formatting, types, lint and dead code. Prints one line for each tool, and the output of those that fail.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { toolPath } from "./pinned-node.mjs";

const tools: [name: string, ...args: string[]][] = [
  ["oxfmt", "--check"],
  ["tsc"],
  ["oxlint"],
  ["knip", "--no-progress", "--treat-config-hints-as-errors"],
];

/** Runs one tool on this Node to its end. The output is complete: nothing is read before the tool has closed it. */
async function runTool([name, ...args]: (typeof tools)[number]) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [toolPath(name), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { name, isOk: code === 0, seconds: (performance.now() - startedAt) / 1000, output: output + errors };
}

for (const run of tools.map(runTool)) {
  const { name, isOk, seconds, output } = await run;
  process.stdout.write(`${isOk ? "ok  " : "FAIL"} ${name.padEnd(6)} ${seconds.toFixed(1)} s\n`);
  if (isOk) continue;
  process.stdout.write(`${output.trimEnd()}\n`);
  process.exitCode = 1;
}

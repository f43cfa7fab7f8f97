// Every benchmark, one after the other, each in a process of its own: `npm run bench`, or `npm run bench loop`.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const wanted = process.argv.slice(2);
const parts = new Set(["all.ts", "daemon.ts"]);
const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".ts") && !parts.has(file));
for (const file of files) {
  if (wanted.length > 0 && !wanted.includes(file.replace(/\.ts$/, ""))) continue;
  console.log(`\n${file}`);
  const { status } = spawnSync(process.execPath, [`${import.meta.dirname}/${file}`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

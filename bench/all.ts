// Every benchmark, one after the other, each in a process of its own: `npm run bench`, or `npm run bench loop`.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "all.ts")
  .map((file) => file.slice(0, -".ts".length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(", ")}; there are ${all.join(", ")}`);

for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [`${import.meta.dirname}/${name}.ts`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

// The pages that people write; what scripts write is compared where it comes from.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { testRuntime } from "./support/runtime.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["*.md", "docs/**/*.md"].flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
const read = (page: string) => readFileSync(join(root, page), "utf8");
const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, "");

/** Headings as their anchors: lower case, hyphens for spaces, other marks left out. */
function anchorsOf(page: string): Set<string> {
  const headings = [...withoutCode(read(page)).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((each) =>
      each
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

it.each(pages)("every link of %s leads to a file, and to a heading of it", (page) => {
  const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const dead = links.filter(([, file = "", anchor]) => {
    const target = file === "" ? page : relative(root, join(root, dirname(page), file));
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).has(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

/** From docs/command-line.md, which is made of the commands: the options of each. */
function readCommands(): { commands: Map<string, string>; everywhere: string } {
  const page = read("docs/command-line.md");
  const table = /^## Commands$(.*?)^## /ms.exec(page)?.[1] ?? "";
  const everywhere = /^## Options of every command$(.*?)^## /ms.exec(page)?.[1] ?? "";
  const commands = new Map<string, string>();
  for (const [, name = ""] of table.matchAll(/^\| `([a-z-]+(?: [a-z-]+)*)/gm)) {
    commands.set(name, new RegExp(`^### ${name}$(.*?)(?=^###? |(?![^]))`, "ms").exec(page)?.[1] ?? "");
  }
  return { commands, everywhere };
}

it.each(pages.filter((page) => page !== "CHANGELOG.md"))(
  "every command that %s shows exists, with its options",
  (page) => {
    const { commands, everywhere } = readCommands();
    // At the start of a line, or of what stands in backticks or in $(…).
    const text = read(page).replace(/(?<!`)(`[^`\n]+)\n([^`\n]+`)(?!`)/g, "$1 $2");
    const shown = [...text.matchAll(/(?:^ *(?:- run: )?|[A-Z]=\S* |`|\$\()stepgate ([a-z][^`#|\n]*)/gm)];
    const unknown = shown.flatMap(([, line = ""]) => {
      const words = line.split(/[\s)"]+/);
      const name = [3, 2, 1].map((count) => words.slice(0, count).join(" ")).find((each) => commands.has(each));
      if (words[0] === "help") return [];
      if (name === undefined) return [line];
      const options = line.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [];
      return options
        .filter((option) => !`${commands.get(name)}${everywhere}`.includes(option))
        .map((each) => `${name} ${each}`);
    });
    expect(unknown).toEqual([]);
  },
);

it("the README's first workflow is published without a warning and greets", async () => {
  const text = /^```yaml\n(.*?)^```/ms.exec(read("README.md"))?.[1] ?? "";
  const runtime = await testRuntime();
  expect((await runtime.publish(text)).published).toMatchObject([{ slug: "hello-you", warnings: [] }]);
  const run = await runtime.runToEnd("hello-you", { name: "Ada" });
  expect(run).toMatchObject({ status: "succeeded", output: { greeting: "Hello, Ada!" } });
});

import { type Binding, bindings, places } from "../src/cli/ui/model/keys.ts";

/** The table of keys in docs/terminal-ui.md, made from the one that the terminal UI reads. */
export function renderKeys(): string {
  const head = ["| Key | Where | What it does |", "|---|---|---|"];
  return [...head, ...bindings.map((binding) => `| ${keysOf(binding)} | ${whereOf(binding)} | ${binding.does} |`)].join(
    "\n",
  );
}

function keysOf({ shown }: Binding): string {
  return shown
    .split(" ")
    .map((key) => `\`${key}\``)
    .join(" ");
}

function whereOf({ where }: Binding): string {
  if (where === "all") return "everywhere";
  const names = places
    .filter((place) => where.includes(place))
    .map((place) => (place === "workflows" ? "graph (choice)" : place));
  return names.length > 6 ? "every screen" : names.join(", ");
}

const [begin, end] = ["<!-- keys: written by scripts/write-ui-docs.ts -->", "<!-- end of keys -->"];

/** The page with its table of keys as it should be. Throws when the page has lost the place for it. */
export function withKeys(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/terminal-ui.md needs the lines ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n${renderKeys()}\n${page.slice(to)}`;
}

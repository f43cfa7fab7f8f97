import type { Line } from "../draw/line.ts";
import { lineWidth, span } from "../draw/line.ts";
import type { Theme } from "../draw/theme.ts";
import { type Binding, bindingsOf, type KeyAction, type Place } from "../model/keys.ts";
import type { Model } from "../model/model.ts";
import { isActable, placesOf } from "../model/places.ts";

const acting: ReadonlySet<string> = new Set(["approve", "reject", "replay", "cancel"]);

/** The keys of the place where one is, as many as fit; those that can't do anything now are left out. */
export function drawFooter(model: Model, theme: Theme): Line {
  const [place = "runs"] = placesOf(model);
  const keys = bindingsOf(place).filter(
    ({ action, label }) =>
      label !== undefined &&
      isUsable(model, action) &&
      (place !== "confirm" || fitsQuestion(model, action)) &&
      (place !== "filter" || action !== "back"),
  );
  const isTail = ({ action }: { action: string }) => action === "help" || action === "quit";
  const show = ({ shown, label = "" }: Binding) => hint(theme.isAscii && shown === "⏎" ? "enter" : shown, label);
  const tail = place === "lost" ? [hint("q", "quit")] : keys.filter(isTail).map(show);
  const others = [...spoken(place, theme), ...keys.filter((binding) => !isTail(binding)).map(show)];
  const line: Line[] = [];
  const widthWith = (gap: number) => [...others, ...tail].reduce((sum, piece) => sum + lineWidth(piece) + gap, 1 - gap);
  // Closer together before the first one is left out.
  const gap = widthWith(2) <= model.size.columns ? 2 : 1;
  let room = model.size.columns - 1 - tail.reduce((sum, piece) => sum + lineWidth(piece) + gap, 0);
  for (const piece of others) {
    room -= lineWidth(piece) + gap;
    if (room < -gap) break;
    line.push(piece);
  }
  const between = span(" ".repeat(gap));
  return [span(" "), ...[...line, ...tail].flatMap((piece, index) => (index === 0 ? piece : [between, ...piece]))];
}

function isUsable(model: Model, action: KeyAction): boolean {
  if (acting.has(action)) return isActable(model) && !model.denied.has(action);
  if (action === "start") return model.place.canStart;
  if (action === "log") return model.place.isLocal;
  return (action !== "graph" && action !== "diff") || model.place.isLocal;
}

function fitsQuestion({ modal }: Model, action: string): boolean {
  return action !== "edit" || (modal?.kind === "confirm" && modal.what === "replay");
}

function hint(key: string, label: string): Line {
  return [span(key, "bold"), span(` ${label}`, "dim")];
}

/** What the table of keys can't say: keys that move, and those that a form reads as text. */
function spoken(place: Place, { upDown }: Theme): Line[] {
  switch (place) {
    case "form":
      return [hint("enter", "next, then submit")];
    case "confirm":
      return [hint("y", "yes")];
    case "filter":
      return [hint("enter", "keep"), hint("esc", "clear")];
    case "lost":
      return [];
    default:
      return [hint(upDown, "move")];
  }
}

import type { Place } from "./keys.ts";
import type { Model } from "./model.ts";

/** Whose keys count, the nearest first: what lies over the screen takes them all, a lost daemon only its own. */
export function placesOf(model: Model): Place[] {
  if (model.modal) return [model.modal.kind];
  if (model.isFiltering) return ["filter"];
  return model.connection.kind === "live" || model.connection.kind === "connecting"
    ? [model.screen]
    : ["lost", model.screen];
}

/** Whether what is shown can be acted on: stale rows can't (cli.md). */
export function isActable(model: Model): boolean {
  return model.connection.kind === "live" || model.connection.kind === "limited";
}

import { actionOf, type KeyAction } from "./keys.ts";
import { isTooSmall } from "./layout.ts";
import type { Effect, Message, Model, Next } from "./model.ts";
import { updateMove } from "./moves.ts";
import { placesOf } from "./places.ts";
import { updateAct } from "./update-act.ts";
import { updateData } from "./update-data.ts";
import { updateModalKey, updatePaste } from "./update-modal.ts";
import { openRun, updateScreen } from "./update-screen.ts";

/** The next model, and what is to be done outside. Pure: time comes in with the messages. */
export function update(model: Model, message: Message): Next {
  switch (message.type) {
    case "key":
      return updateKey({ ...model, now: Math.max(model.now, message.at) }, message.key, message.at);
    case "paste":
      if (isUnseen(model)) return [model, []];
      return updatePaste({ ...model, now: Math.max(model.now, message.at) }, message.text, message.at);
    case "tick":
      return [tick(model, message.at), []];
    case "resize":
      return [{ ...model, size: message.size }, []];
    case "acted": {
      const [next, effects] = updateData(model, message);
      if (message.open === null) return [next, effects];
      const [opened, more] = openRun(next, message.open);
      return [opened, [...effects, ...more]];
    }
    default:
      return updateData(model, message);
  }
}

function tick(model: Model, at: number): Model {
  const notice = model.notice && model.notice.until <= at ? null : model.notice;
  return { ...model, now: at, notice };
}

const always: Partial<Record<KeyAction, Effect>> = {
  interrupt: { type: "quit", code: 130 },
  suspend: { type: "suspend" },
  redraw: { type: "redraw" },
  quit: { type: "quit", code: 0 },
  start: { type: "start-daemon" },
  log: { type: "read-log" },
  retry: { type: "retry" },
};

/** Where the window is too small to show anything nobody can see what a key would do. */
function isUnseen({ size, place }: Model): boolean {
  return isTooSmall(size) && !place.isSpoken;
}

/** What concerns the terminal itself, whatever is on it. */
const ofTerminal: ReadonlySet<KeyAction | null> = new Set(["interrupt", "suspend", "redraw"]);

function updateKey(model: Model, key: string, at: number): Next {
  const unseen = isUnseen(model);
  const action = actionOf(key, unseen ? [model.screen] : placesOf(model));
  if (ofTerminal.has(action) || (unseen && action === "quit")) return [model, effectsOf(action)];
  if (unseen) return [model, []];
  const inModal = updateModalKey(model, key, action, at);
  if (inModal) return inModal;
  return action !== null && isPossible(model, action) ? act(model, action) : [model, []];
}

/** A daemon elsewhere can't be started; its log is out of reach, and the one of this machine is another daemon's. */
function isPossible({ place }: Model, action: KeyAction): boolean {
  if (action === "start") return place.canStart;
  return action !== "log" || place.isLocal;
}

function act(model: Model, action: KeyAction): Next {
  if (always[action]) return [model, effectsOf(action)];
  return updateMove(model, action) ?? updateAct(model, action) ?? updateScreen(model, action) ?? [model, []];
}

function effectsOf(action: KeyAction | null): Effect[] {
  const effect = action === null ? undefined : always[action];
  return effect ? [effect] : [];
}

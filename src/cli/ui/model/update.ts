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

function updateKey(model: Model, key: string, at: number): Next {
  const action = actionOf(key, isUnseen(model) ? [model.screen] : placesOf(model));
  if (action && ["interrupt", "suspend", "redraw"].includes(action)) {
    const effect = always[action];
    return [model, effect ? [effect] : []];
  }
  if (isUnseen(model)) return [model, action === "quit" ? [{ type: "quit", code: 0 }] : []];
  const inModal = updateModalKey(model, key, action, at);
  if (inModal) return inModal;
  if (action === null) return [model, []];
  if (action === "start" && !model.place.canStart) return [model, []];
  // The log of another machine is out of reach, and the one of this machine is another daemon's.
  if (action === "log" && !model.place.isLocal) return [model, []];
  const effect = always[action];
  if (effect) return [model, [effect]];
  return updateMove(model, action) ?? updateAct(model, action) ?? updateScreen(model, action) ?? [model, []];
}

import type { Message, Model, Next } from "./model.ts";

/** How long news stays on the screen. */
const noticeMs = 6000;

/** The model with news in the line below the box. */
export function say(model: Model, text: string, isBad = false): Model {
  return { ...model, notice: { text, isBad, until: model.now + noticeMs } };
}

export type MessageOf<T extends Message["type"]> = Extract<Message, { type: T }>;

/** What becomes of the model, by the type of message. */
export type Updaters<T extends Message["type"]> = { [K in T]: (model: Model, message: MessageOf<K>) => Next };

import * as z from "zod";
import { readDuration } from "./duration.ts";
import type { Setting } from "./settings.ts";

const text = z.string().min(1);
const duration = z
  .string()
  .refine((value) => readDuration(value) !== null, "must be a length of time such as 90s or 10m");

/** Those that a project's stepgate.yaml may set: nothing there can send a key elsewhere or start a program (contract 17). */
export const projectSettings: Readonly<Record<string, Setting>> = {
  workflows: {
    schema: z.union([
      z.array(text),
      z
        .string()
        .min(1)
        .transform((list) => list.split(",")),
    ]),
    default: ["workflows/**/*.{yaml,yml,json}"],
    summary: "Files that publish and dev take when none are named, as patterns",
  },
  "publish.on_breaking": {
    schema: z.enum(["error", "allow"]),
    default: "error",
    summary: "Whether publish refuses a change that breaks callers",
  },
  "run.timeout": {
    schema: duration.nullable(),
    default: null,
    summary: "How long run and replay wait with --wait or --follow; null: until the end",
  },
  "run.on_approval": {
    schema: z.enum(["exit", "wait"]).nullable(),
    default: null,
    summary: "What a waiting run does at an approval: exit or wait; null: wait at a terminal alone",
  },
};

/** What the command line itself goes by, in the files beside the settings of the daemon. */
export const commandSettings: Readonly<Record<string, Setting>> = {
  ...projectSettings,
  "ui.theme": {
    schema: z.enum(["auto", "mono"]),
    default: "auto",
    summary: "Colours of the terminal UI: auto, as everywhere, or mono, none",
  },
  "ui.confirm_approval": {
    schema: z.enum(["id-prefix", "id"]),
    default: "id-prefix",
    summary:
      "What has to be typed to decide in the terminal UI: the first four characters of the id shown, or all eight",
  },
  editor: { schema: text.nullable(), default: null, summary: "Program for config edit, before $VISUAL and $EDITOR" },
};

import type { Command, CommandGroup } from "../command.ts";
import { actionsList } from "./actions-list.ts";
import { actionsShow } from "./actions-show.ts";
import { doctor } from "./doctor.ts";
import { keysList } from "./keys-list.ts";
import { keysMint } from "./keys-mint.ts";
import { keysRevoke } from "./keys-revoke.ts";
import { publish } from "./publish.ts";
import { run } from "./run.ts";
import { runsJournal } from "./runs-journal.ts";
import { runsList } from "./runs-list.ts";
import { runsOutput } from "./runs-output.ts";
import { runsShow } from "./runs-show.ts";
import { serve } from "./serve.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";
import { version } from "./version.ts";

/** Every command there is, in the order of the help. */
export const commands: readonly (Command | CommandGroup)[] = [
  serve,
  stop,
  status,
  publish,
  run,
  { name: "runs", summary: "list and read runs", commands: [runsList, runsShow, runsJournal, runsOutput] },
  { name: "actions", alias: "action", summary: "list and read actions", commands: [actionsList, actionsShow] },
  { name: "keys", alias: "key", summary: "mint, list and revoke API keys", commands: [keysMint, keysList, keysRevoke] },
  doctor,
  version,
];

import { initial } from "./0001-initial.ts";
import { timeAndPeople } from "./0002-time-and-people.ts";
import { memory } from "./0003-memory.ts";
import { callers } from "./0004-callers.ts";
import { runLog } from "./0005-run-log.ts";
import { incidents } from "./0006-incidents.ts";
import { drafts } from "./0007-drafts.ts";
import { connections } from "./0008-connections.ts";
import { breakers } from "./0009-breakers.ts";
import { triggers } from "./0010-triggers.ts";
import { moments } from "./0011-moments.ts";
import { connectors } from "./0012-connectors.ts";
import { polls } from "./0013-polls.ts";
import { childRuns } from "./0014-child-runs.ts";
import { files } from "./0015-files.ts";

export type Migration = { version: number; name: string; sql: string };

/** In order; a migration that was released never changes. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "initial", sql: initial },
  { version: 2, name: "time-and-people", sql: timeAndPeople },
  { version: 3, name: "memory", sql: memory },
  { version: 4, name: "callers", sql: callers },
  { version: 5, name: "run-log", sql: runLog },
  { version: 6, name: "incidents", sql: incidents },
  { version: 7, name: "drafts", sql: drafts },
  { version: 8, name: "connections", sql: connections },
  { version: 9, name: "breakers", sql: breakers },
  { version: 10, name: "triggers", sql: triggers },
  { version: 11, name: "moments", sql: moments },
  { version: 12, name: "connectors", sql: connectors },
  { version: 13, name: "polls", sql: polls },
  { version: 14, name: "child-runs", sql: childRuns },
  { version: 15, name: "files", sql: files },
];

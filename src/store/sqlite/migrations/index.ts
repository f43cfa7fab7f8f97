import { initial } from "./0001-initial.ts";
import { timeAndPeople } from "./0002-time-and-people.ts";
import { memory } from "./0003-memory.ts";

export type Migration = { version: number; name: string; sql: string };

/** In order; a migration that was released never changes. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "initial", sql: initial },
  { version: 2, name: "time-and-people", sql: timeAndPeople },
  { version: 3, name: "memory", sql: memory },
];

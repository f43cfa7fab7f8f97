import { initial } from "./0001-initial.ts";

export type Migration = { version: number; name: string; sql: string };

/** In order; a migration that was released never changes. */
export const migrations: readonly Migration[] = [{ version: 1, name: "initial", sql: initial }];

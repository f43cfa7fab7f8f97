import type { Json } from "../../contract/json.ts";
import type { SealedPlace } from "../../store/store.ts";
import { createCipher } from "./cipher.ts";

export { masterKeyBytes } from "./cipher.ts";

/** What a run's true values are sealed with, so that they can be kept beside the redacted ones (contract 15). */
export type Sealer = {
  /** Tells keys apart and gives nothing of them away. */
  keyName: string;
  /** The same value at another place of a run, or in another run, can't be opened there. */
  seal(runId: string, place: SealedPlace, value: Json): Uint8Array;
  /** Throws GoneOriginalsError for what another key sealed, or for bytes that somebody changed. */
  open(runId: string, place: SealedPlace, sealed: Uint8Array): Json;
};

/** The true values behind redacted ones can't be read any more: whatever needs them must not go on without them. */
export class GoneOriginalsError extends Error {
  constructor(what: string, why: string) {
    super(`The original values of ${what} are gone: ${why}`);
    this.name = "GoneOriginalsError";
  }
}

/** Seals with the master key, bound to run and place. */
export function createSealer(key: Uint8Array, randomBytes: (length: number) => Uint8Array): Sealer {
  const cipher = createCipher(key, randomBytes);
  return {
    keyName: cipher.keyName,
    seal: (runId, place, value) => cipher.seal(`${runId}|${place}`, JSON.stringify(value)),
    open(runId, place, sealed) {
      const opened = cipher.open(`${runId}|${place}`, sealed);
      if ("problem" in opened) throw new GoneOriginalsError(describePlace(runId, place), opened.problem);
      return JSON.parse(opened.text) as Json;
    },
  };
}

/** How errors name a place. */
export function describePlace(runId: string, place: SealedPlace): string {
  return typeof place === "number" ? `event ${place} of run ${runId}` : `the ${place} of run ${runId}`;
}

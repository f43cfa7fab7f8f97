import { didYouMean } from "../definition/nearest-name.ts";

/** What `var.NAME` and `secret.NAME` stand for in the templates of one workspace, as it is now (contract 3). */
export type NamedValues = {
  /** Undefined when there is none: a missing value, as everywhere in templates. */
  readVariable(name: string): string | undefined;
  /** Throws MissingSecretError, and SealedValueError for one that can't be opened: nothing is sent without its secret. */
  readSecret(name: string): string;
};

/** A secret that is not there: an empty credential must never be sent in its place. */
export class MissingSecretError extends Error {
  constructor(name: string, known: Iterable<string>) {
    const shown = name.slice(0, 100);
    const hint = didYouMean(name, known) || `; set it with: stepgate secrets set ${shown}`;
    super(`The workspace has no secret ${shown}${hint}`);
    this.name = "MissingSecretError";
  }
}

/** What a value is shown as wherever it must not be read. */
const hiddenValue = "[REDACTED]";

/** The same values for whatever is stored or shown: a secret has to be there, and is told as `[REDACTED]`. */
export function withoutSecrets(values: NamedValues): NamedValues {
  return {
    readVariable: (name) => values.readVariable(name),
    readSecret(name) {
      values.readSecret(name);
      return hiddenValue;
    },
  };
}

import { cutMark } from "../values/cut-text.ts";

/** Secrets that redaction knows by their value. */
export type SecretValues = {
  /** Values of connections' secret fields: each becomes `[REDACTED_TOKEN]` (contract 15). */
  secrets?: readonly string[];
  /** Values of `{{secret.NAME}}`: each becomes `[REDACTED]` (contract 3). */
  workspaceSecrets?: readonly string[];
};

/** Secrets made ready to be looked for in many texts. */
export type KnownSecrets = {
  /** Whether a text holds any of them: a tenth of what it costs to look for a hundred one by one. */
  any: RegExp;
  /** Longest first, so that a secret inside another one leaves no rest of it. */
  forms: readonly { form: string; replacement: string }[];
};

/** Shorter secrets are left: replacing every `a` or `42` would ruin payloads and hide nothing. */
const minSecretLength = 4;
/** The part of a secret inside base64 that its neighbours do not touch has to be this long to be told from other text. */
const minBase64Length = 10;
/** The beginning of a secret at the end of a text that was cut has to be this long to be told from a word. */
const minBeginningLength = 6;

/** Prepares secrets once, for as long as they are the same; null when there is nothing to look for. */
export function knownSecrets({ secrets = [], workspaceSecrets = [] }: SecretValues): KnownSecrets | null {
  const known = new Map<string, string>();
  const add = (values: readonly string[], replacement: string) => {
    for (const value of values) {
      if (value.length < minSecretLength) continue;
      for (const form of listForms(value)) if (!known.has(form)) known.set(form, replacement);
    }
  };
  add(secrets, "[REDACTED_TOKEN]");
  add(workspaceSecrets, "[REDACTED]");
  if (known.size === 0) return null;
  return compile([...known].map(([form, replacement]) => ({ form, replacement })));
}

/** All that several workspaces know, for texts that belong to none of them. */
export function mergeKnown(all: readonly (KnownSecrets | null)[]): KnownSecrets | null {
  const forms = all.flatMap((known) => known?.forms ?? []);
  return forms.length === 0 ? null : compile(forms);
}

function compile(forms: KnownSecrets["forms"]): KnownSecrets {
  const sorted = forms.toSorted((a, b) => b.form.length - a.form.length);
  return { forms: sorted, any: new RegExp(sorted.map(({ form }) => RegExp.escape(form)).join("|")) };
}

/** The text without the secrets in it; `found` is told how many there were. */
export function replaceSecrets(text: string, known: KnownSecrets, found: (count: number) => void): string {
  const whole = known.any.test(text) ? replaceWhole(text, known, found) : text;
  const cut = whole.lastIndexOf(cutMark);
  return cut === -1 ? whole : replaceBeginning(whole, cut, known, found);
}

/** What was cut out of a longer text may end in the beginning of a secret. */
function replaceBeginning(text: string, end: number, { forms }: KnownSecrets, found: (count: number) => void): string {
  let longest = { length: minBeginningLength - 1, replacement: "" };
  for (const { form, replacement } of forms) {
    for (let length = Math.min(form.length - 1, end); length > longest.length; length--) {
      if (text.endsWith(form.slice(0, length), end)) longest = { length, replacement };
    }
  }
  if (longest.length < minBeginningLength) return text;
  found(1);
  return text.slice(0, end - longest.length) + longest.replacement + text.slice(end);
}

function replaceWhole(text: string, known: KnownSecrets, found: (count: number) => void): string {
  let result = text;
  for (const { form, replacement } of known.forms) {
    if (!result.includes(form)) continue;
    const pieces = result.split(form);
    found(pieces.length - 1);
    result = pieces.join(replacement);
  }
  return result;
}

/**
 * A secret as it is, inside JSON text and inside JSON that is a text of JSON itself, inside a URL or a form, each as they
 * are encoded, and inside base64: services echo what they were sent.
 */
function listForms(secret: string): Set<string> {
  const text = secret.toWellFormed();
  const inJson = quoteJson(secret);
  const inQuery = new URL(`http://echo.invalid/?${text.replaceAll("#", "%23")}`).search.slice(1);
  const inForm = new URLSearchParams([["", text]]).toString().slice(1);
  const forms = [secret, inJson, quoteJson(inJson), encodeURIComponent(text), inQuery, inForm];
  const told = forms.filter((form) => form.length >= minSecretLength);
  return new Set([...told, ...base64Forms(Buffer.from(text))]);
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Base64 of bytes that stand at any place of longer ones: for each of the three alignments what is the same everywhere. */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // A character at either end that also depends on a neighbour's bits is left out.
    const last = Math.floor((whole.length * 8) / 6);
    return whole.toString("base64").slice(before === 0 ? 0 : before + 1, last);
  });
  const long = forms.filter((form) => form.length >= minBase64Length);
  return [...long, ...long.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

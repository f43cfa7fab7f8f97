import { redactEmails } from "./redact-email.ts";
import { redactTokens } from "./redact-token.ts";

/** Counts replacements. */
export type Tally = { count: number };

const ownKey = /sgt_[\w-]{32}/g;
const bearer = /Bearer[ \t\r\n]+[\w.~+/-]+=*/gi;
/** The value ends at white space, a quote, a bracket or what divides the pairs of a query; a quote around it goes with it. */
const valueChar = String.raw`[^\s"'\`&;,<>()[\]{}\\]`;
const value = `${valueChar}{16}${valueChar}*`;
const assignment = new RegExp(
  String.raw`(?:api_key|access_token|secret_key)[ \t]*=[ \t]*(?:"${value}"?|'${value}'?|${value})`,
  "gi",
);
/** Up to three spaces, hyphens and brackets, also the typographic ones, go between the digits of a phone number. */
const phone = String.raw`(?:\+7|(?<!\d)8)(?:[ \t\u00a0\u202f()\u2010-\u2013-]{0,3}\d){10}(?!\d)`;
/** A UUID or another hex id; one in 500 UUIDs holds what looks like a phone number. */
const hexId = String.raw`(?<![\da-f-])(?=[\d-]*[a-f])[\da-f-]{24}[\da-f-]*`;
const phoneOrHexId = new RegExp(`${hexId}|${phone}`, "gi");

/** The shortest run of token characters (an own key's) and the digits of a phone number. */
const minRun = 36;
const phoneDigits = 11;

const hint = { email: 1, assignment: 2, run: 4, phone: 8, bearer: 16 } as const;
const bodyChar = 32;
const digitChar = 64;
const spaceChar = 128;

/** What each ASCII character says: a hint by itself, or the kind of character that the scan counts. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/\d/.test(char)) return bodyChar | digitChar;
  if (/[\w+/-]/.test(char)) return bodyChar;
  if (/\s/.test(char)) return spaceChar;
  return { "@": hint.email, "=": hint.assignment }[char] ?? 0;
});

/**
 * Redacts the patterns of spec 2.9 in one text, in linear time. One pass over the characters finds which patterns can match
 * at all. They are applied in an order in which none cuts up what a later one would have hidden whole: bearer tokens,
 * assignments, e-mail addresses, tokens of 40+ characters, the service's own keys (as `showKey` shows them), phone numbers.
 */
export function redactText(text: string, tally: Tally, showKey: (key: string) => string): string {
  const hints = findHints(text);
  let result = text;
  const replace = (pattern: RegExp, show: (found: string) => string) => {
    result = result.replace(pattern, (found) => {
      const shown = show(found);
      if (shown !== found) tally.count++;
      return shown;
    });
  };
  if (hints & hint.bearer) replace(bearer, () => "Bearer [REDACTED]");
  if (hints & hint.assignment) replace(assignment, () => "[REDACTED]");
  if (hints & hint.email) result = redactEmails(result, tally);
  if (hints & hint.run) result = redactTokens(result, tally);
  if (hints & hint.run) replace(ownKey, showKey);
  if (hints & hint.phone) replace(phoneOrHexId, (found) => (/[a-f]/i.test(found) ? found : "[REDACTED_PHONE]"));
  return result;
}

/** Which patterns can match: a hint is necessary for a match, never enough. */
function findHints(text: string): number {
  let hints = 0;
  let run = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (kinds[code] ?? 0) : 0;
    if (kind & bodyChar) {
      if (++run === minRun) hints |= hint.run;
      if (kind & digitChar && ++digits === phoneDigits) hints |= hint.phone;
      continue;
    }
    run = 0;
    if (kind !== spaceChar) hints |= kind;
    else if (endsLikeBearer(text, at)) hints |= hint.bearer;
  }
  return hints;
}

function endsLikeBearer(text: string, end: number): boolean {
  return (text.charCodeAt(end - 1) | 32) === 0x72 && text.slice(Math.max(0, end - 6), end).toLowerCase() === "bearer";
}

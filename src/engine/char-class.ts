/** A set of ASCII characters for scanners that look at one character at a time. */
export type CharClass = Uint8Array;

/** The ASCII characters that the pattern matches. */
export function charClass(pattern: RegExp): CharClass {
  return Uint8Array.from({ length: 128 }, (_, code) => Number(pattern.test(String.fromCharCode(code))));
}

/** True when the character at an offset is in the class; false for any beyond ASCII and beyond the text. */
export function isIn(set: CharClass, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && set[code] === 1;
}

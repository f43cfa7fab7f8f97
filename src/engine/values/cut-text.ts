/** Stands where a text was cut. Redaction takes what is before it for what may be the beginning of a secret. */
export const cutMark = "…";

/** A text's first `length` characters, marked where more of them followed. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length) + cutMark;
}

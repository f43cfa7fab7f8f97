/**
 * The lines of a stream of text, without their ends. Only a line feed ends one: JSON may hold the other separators that
 * readline would split at.
 */
export async function* readLines(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of input) {
    const [first = "", ...rest] = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split(
      "\n",
    );
    parts.push(first);
    for (const part of rest) {
      yield parts.join("");
      parts = [part];
    }
  }
  const last = parts.join("");
  if (last !== "") yield last;
}

/**
 * One option or argument of a command, as data. Its name is its key in the command's record: `allowBreaking` is
 * `--allow-breaking`. `read` gets the texts given on the command line, none when it was left out; it throws on a bad one.
 */
export type Option<Value> = {
  readonly summary: string;
  readonly short?: string;
  /** What stands for the value in the help; absent on a flag. */
  readonly placeholder?: string;
  /** The words that it takes, where these are all. */
  readonly choices?: readonly string[];
  read: (texts: readonly string[]) => Value;
};

export type Argument<Value> = {
  readonly summary: string;
  readonly kind: "required" | "optional" | "optionalRest";
  /** The words that it takes, where these are all. */
  readonly choices?: readonly string[];
  read: (texts: readonly string[]) => Value;
};

export type Options = Readonly<Record<string, Option<unknown>>>;
export type Arguments = Readonly<Record<string, Argument<unknown>>>;

export type Inputs = Readonly<Record<string, { read: (texts: readonly string[]) => unknown }>>;
export type Values<R extends Inputs> = { [K in keyof R]: ReturnType<R[K]["read"]> };

const identity = (text: string): string => text;

export function flag(summary: string, short?: string): Option<boolean> {
  return { summary, ...(short ? { short } : {}), read: (texts) => texts.length > 0 };
}

/** Reads a text; throws what is wrong with it. */
type Parse<T> = ((text: string) => T) & { readonly choices?: readonly string[] };

type ValueSettings<T> = { short?: string; parse?: Parse<T> };

/** An option with one value; of several the last one counts. */
export function value(placeholder: string, summary: string, settings?: { short?: string }): Option<string | undefined>;
export function value<T>(
  placeholder: string,
  summary: string,
  settings: { short?: string; parse: Parse<T> },
): Option<T | undefined>;
export function value(placeholder: string, summary: string, settings: ValueSettings<unknown> = {}): Option<unknown> {
  const { parse = identity, ...look }: ValueSettings<unknown> = settings;
  return {
    summary,
    placeholder,
    ...look,
    ...("choices" in parse && parse.choices ? { choices: parse.choices } : {}),
    read(texts) {
      const text = texts.at(-1);
      return text === undefined ? undefined : parse(text);
    },
  };
}

/** An option that may be given again and again. */
export function values(placeholder: string, summary: string, short?: string): Option<string[]> {
  return { summary: `${summary} (repeatable)`, placeholder, ...(short ? { short } : {}), read: (texts) => [...texts] };
}

/** An empty text is refused: it comes of a shell variable that is not set, and would name nothing. */
export function argument(summary: string, { mayBeEmpty = false } = {}): Argument<string> {
  return {
    summary,
    kind: "required",
    read([text = ""]) {
      if (!mayBeEmpty && text.trim() === "") throw new Error("must not be empty");
      return text;
    },
  };
}

export function optionalArgument(summary: string): Argument<string | undefined>;
export function optionalArgument<T>(summary: string, parse: Parse<T>): Argument<T | undefined>;
export function optionalArgument(summary: string, parse: Parse<unknown> = identity): Argument<unknown> {
  return {
    summary,
    kind: "optional",
    ...(parse.choices ? { choices: parse.choices } : {}),
    read: ([text]) => (text === undefined ? undefined : parse(text)),
  };
}

export function optionalRest(summary: string): Argument<string[]> {
  return { summary, kind: "optionalRest", read: (texts) => [...texts] };
}

/** For `parse`: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new Error(
      max === Number.MAX_SAFE_INTEGER ? `must be a whole number from ${min}` : `must be ${min} to ${max}`,
    );
  };
}

/** For `parse`: one of these words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Parse<Word> {
  const parse = (text: string): Word => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw new Error(words.length > 2 ? `must be one of ${words.join(", ")}` : `must be ${words.join(" or ")}`);
  };
  return Object.assign(parse, { choices: words });
}

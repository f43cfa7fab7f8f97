import { maxJsonDepth } from "../../contract/limits.ts";
import {
  type SourceMember,
  type SourceNode,
  type SourceProblem,
  type SourceText,
  listNode,
  objectNode,
  scalarNode,
  tooDeep,
} from "./source-tree.ts";

/** Reads strict JSON with positions. Stops at the first mistake in syntax; doubled keys are collected. */
export function readJson(text: string): SourceText {
  const reader: Reader = { text, at: text.startsWith("\uFEFF") ? 1 : 0, depth: 0, problems: [] };
  try {
    const root = readValue(reader);
    if (next(reader) !== undefined) throw mistake(reader, "expected nothing after the value");
    return { root, problems: reader.problems };
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    return { root: null, problems: [...reader.problems, error.problem] };
  }
}

type Reader = { text: string; at: number; depth: number; problems: SourceProblem[] };

class JsonMistake extends Error {
  readonly problem: SourceProblem;

  constructor(problem: SourceProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const space = /[ \t\r\n]*/y;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Control characters and escapes inside are left to JSON.parse. */
const quoted = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? "";
  reader.at += found.length;
  return found;
}

/** The next character that is no white space; undefined at the end. */
function next(reader: Reader): string | undefined {
  take(reader, space);
  return reader.text[reader.at];
}

function mistake(reader: Reader, expectation: string): JsonMistake {
  const found = reader.text[reader.at] === undefined ? "the end of the file" : JSON.stringify(reader.text[reader.at]);
  const message = `Not valid JSON: ${expectation}, found ${found}`;
  return new JsonMistake({ code: "invalid_json", message, at: reader.at });
}

function readValue(reader: Reader): SourceNode {
  const first = next(reader);
  if (first === "{" || first === "[") return readNested(reader, first);
  const at = reader.at;
  if (first === '"') return scalarNode(readString(reader), at);
  const word = take(reader, literal);
  if (word === "") throw mistake(reader, "expected a value");
  const value = JSON.parse(word) as boolean | number | null;
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new JsonMistake({ code: "not_json", message: `The number ${word} is too large`, at });
  }
  return scalarNode(value, at);
}

function readNested(reader: Reader, first: "{" | "["): SourceNode {
  if (reader.depth === maxJsonDepth) throw new JsonMistake(tooDeep(reader.at));
  reader.depth += 1;
  const node = first === "{" ? readObject(reader) : readList(reader);
  reader.depth -= 1;
  return node;
}

function readString(reader: Reader): string {
  const at = reader.at;
  const text = take(reader, quoted);
  if (text === "") throw mistake(reader, "expected a text that ends in a quote");
  try {
    return JSON.parse(text) as string;
  } catch {
    const message = "Not valid JSON: this text holds a line break, another control character or an unknown escape";
    throw new JsonMistake({ code: "invalid_json", message, at });
  }
}

function readList(reader: Reader): SourceNode {
  const at = reader.at;
  const items: SourceNode[] = [];
  readParts(reader, "]", () => items.push(readValue(reader)));
  return listNode(items, at);
}

function readObject(reader: Reader): SourceNode {
  const at = reader.at;
  const members = new Map<string, SourceMember>();
  readParts(reader, "}", () => {
    if (next(reader) !== '"') throw mistake(reader, "expected a key in double quotes");
    const keyAt = reader.at;
    const key = readString(reader);
    if (members.has(key)) {
      reader.problems.push({
        code: "duplicate_key",
        message: `The key ${key} occurs twice; keep one of them`,
        at: keyAt,
      });
    }
    if (next(reader) !== ":") throw mistake(reader, 'expected ":"');
    reader.at += 1;
    members.set(key, { keyAt, node: readValue(reader) });
  });
  return objectNode(members, at);
}

/** Reads what stands between two brackets, comma by comma; the opening bracket is next. */
function readParts(reader: Reader, close: "]" | "}", readPart: () => void): void {
  reader.at += 1;
  if (next(reader) !== close) {
    readPart();
    while (next(reader) === ",") {
      reader.at += 1;
      readPart();
    }
  }
  if (next(reader) !== close) throw mistake(reader, `expected "," or "${close}"`);
  reader.at += 1;
}

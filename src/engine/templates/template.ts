import { isRecord, setOwn, toText, type Json, type Path } from "../values/json.ts";
import { scanTemplate, type Reference, type TemplatePart, type TemplateProblem } from "./template-scan.ts";

export type { Reference, TemplateProblem } from "./template-scan.ts";

/** What a template reads from; undefined is a missing value. */
export type Scope = { read(root: string, path: Path): unknown };

/** A compiled text. `resolve` keeps the type of a template that stands alone and never resolves what it yields. */
export type Template = {
  readonly source: string;
  readonly references: readonly Reference[];
  readonly constant: boolean;
  readonly resolve: (scope: Scope) => unknown;
};

/** A value inside a config, compiled; `template` is set where the config has a text that is one. */
export type CompiledPart = { readonly template: Template | null; readonly resolve: (scope: Scope) => unknown };

export type CompiledConfig = CompiledPart & {
  references: (Reference & { pointer: string })[];
  problems: (TemplateProblem & { pointer: string })[];
  /** The texts that are templates, as they are written. */
  texts: { pointer: string; text: string }[];
  /** The part at a JSON pointer (`""` is the whole config); undefined when the config has no such place. */
  at(pointer: string): CompiledPart | undefined;
};

/** Characters that a text with references in it may grow to: four times the JSON that a step may put out. */
export const maxTextLength = 16 * 1024 * 1024;

/** Compiles one text (contract 3); a malformed one yields every problem with its offset. */
export function compileTemplate(source: string): Template | { problems: TemplateProblem[] } {
  const { parts, problems } = scanTemplate(source);
  return problems.length > 0 ? { problems } : toTemplate(source, parts);
}

function toTemplate(source: string, parts: readonly TemplatePart[]): Template {
  const references = parts.filter((part) => typeof part !== "string");
  const [first = ""] = parts;
  if (parts.length > 1) return { source, references, constant: false, resolve: (scope) => join(parts, scope) };
  if (typeof first === "string") return { source, references, constant: true, resolve: () => first };
  const { root, path } = first;
  return { source, references, constant: false, resolve: (scope) => scope.read(root, path) };
}

/** Joins texts and values. Throws a RangeError alone, when the text outgrows `maxTextLength`. */
function join(parts: readonly TemplatePart[], scope: Scope): string {
  let text = "";
  for (const part of parts) {
    text += typeof part === "string" ? part : toText(scope.read(part.root, part.path));
    if (text.length > maxTextLength)
      throw new RangeError(`the text of a template grew past ${maxTextLength} characters: put less into it`);
  }
  return text;
}

/**
 * Compiles every text of a config once. Resolved, a missing value leaves its key out of an object and is null in a list.
 * `fields` are JSON pointers of the texts that are templates (all, when absent): `*` stands for any index or key,
 * a last `**` for the place itself and everything below. Parts without references are shared, not copied: read only.
 */
export function compileConfig(value: Json, options: { fields?: readonly string[] } = {}): CompiledConfig {
  const fields = options.fields?.map((field) => field.split("/").slice(1));
  const parts = new Map<string, Part>();
  const references: CompiledConfig["references"] = [];
  const problems: CompiledConfig["problems"] = [];
  const texts: CompiledConfig["texts"] = [];

  function compile(node: Json, keys: readonly string[]): Part {
    const pointer = keys.map((key) => `/${escapeKey(key)}`).join("");
    const part = compileNode(node, keys, pointer);
    parts.set(pointer, part);
    return part;
  }

  function compileNode(node: Json, keys: readonly string[], pointer: string): Part {
    if (Array.isArray(node)) return listPart(node.map((item, index) => compile(item, [...keys, String(index)])));
    if (isRecord(node))
      return objectPart(Object.entries(node).map(([key, item]) => [key, compile(item, [...keys, key])]));
    if (typeof node !== "string" || (fields && !fields.some((field) => isField(field, keys))))
      return constantPart(node);
    texts.push({ pointer, text: node });
    const scanned = scanTemplate(node);
    for (const problem of scanned.problems) problems.push({ ...problem, pointer });
    const template = toTemplate(node, scanned.parts);
    for (const reference of template.references) references.push({ ...reference, pointer });
    return { template, constant: template.constant, resolve: template.resolve };
  }

  const { template, resolve } = compile(value, []);
  return { template, resolve, references, problems, texts, at: (pointer) => parts.get(pointer) };
}

type Part = CompiledPart & { constant: boolean };

const nothing: Scope = { read: () => undefined };

function constantPart(value: unknown): Part {
  return { template: null, constant: true, resolve: () => value };
}

/** A part whose members are all constant is built once, here. */
function buildPart(members: readonly Part[], resolve: (scope: Scope) => unknown): Part {
  if (members.every((member) => member.constant)) return constantPart(resolve(nothing));
  return { template: null, constant: false, resolve };
}

function listPart(items: readonly Part[]): Part {
  return buildPart(items, (scope) => items.map((item) => item.resolve(scope) ?? null));
}

function objectPart(entries: readonly (readonly [string, Part])[]): Part {
  const parts = entries.map(([, part]) => part);
  return buildPart(parts, (scope) => {
    const resolved: Record<string, unknown> = {};
    for (const [key, part] of entries) {
      const value = part.resolve(scope);
      if (value !== undefined) setOwn(resolved, key, value);
    }
    return resolved;
  });
}

function isField(field: readonly string[], keys: readonly string[]): boolean {
  const isOpen = field.at(-1) === "**";
  const fixed = isOpen ? field.slice(0, -1) : field;
  if (isOpen ? keys.length < fixed.length : keys.length !== fixed.length) return false;
  return fixed.every((key, index) => key === "*" || key === escapeKey(keys[index] ?? ""));
}

/** A key as a JSON pointer writes it (RFC 6901). */
function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

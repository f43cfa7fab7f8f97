import type { Json } from "../../contract/json.ts";
import { isRecord, readPath, replaceAt, toJson, toText } from "../values/json.ts";
import { pointerParts } from "../values/json-pointer.ts";
import type { NodeSettings } from "./node-settings.ts";
import type { NodeType } from "../node.ts";
import { type CompiledConfig, type Reference, type Scope, compileConfig } from "../templates/template.ts";

/** All templates of one node, compiled once per version (contract 3). Pointers are relative to `data`. */
export type NodeTemplates = {
  /** The config as it was compiled. */
  raw: Readonly<Record<string, unknown>>;
  /** What is read before the handler runs, and what the handler's own templates read. */
  references: CompiledConfig["references"];
  lateReferences: CompiledConfig["references"];
  problems: CompiledConfig["problems"];
  /** Every text that may hold templates, as it is written. */
  texts: CompiledConfig["texts"];
  /** The config with its templates resolved; those that read what the handler alone knows stay as they are. */
  resolve(scope: Scope): { [key: string]: Json };
  /** A resolved config with its secrets as they are now: each text that names one is resolved anew (contract 3). */
  reveal(config: { [key: string]: Json }, scope: () => Scope): { [key: string]: Json };
  /**
   * A field that the handler keeps for itself: as the resolved config has it where that is all, so that a gate's step runs
   * with what was approved; undefined when the config does not have it.
   */
  renderLate(pointer: string, config: { [key: string]: Json }, scope: () => Scope): unknown;
  /** What the node's gate asks for; null when the definition says nothing. */
  describeGate(scope: Scope): string | null;
  /** What a field reads, when it is one template and nothing else. */
  referenceAt(pointer: string): Reference | null;
};

/** Compiles the fields that a node type declares as templates, and the node's `approvalDescription`. */
export function configTemplates(type: NodeType, config: unknown, settings: NodeSettings): NodeTemplates {
  // A config comes from a definition, and its schema adds defaults alone: JSON in, JSON out.
  const raw = (isRecord(config) ? config : {}) as { [key: string]: Json };
  const lateFields = type.lateTemplates?.pointers ?? [];
  const early = compileConfig(raw, { fields: type.templates ?? [] });
  const late = compileConfig(raw, { fields: lateFields });
  const lateTexts = findLateTexts(type, late);
  const settled = late.texts.map(({ pointer }) => pointer).filter((pointer) => !lateTexts.includes(pointer));
  const ahead = compileConfig(raw, { fields: [...(type.templates ?? []), ...settled] });
  const { approvalDescription = "" } = settings;
  const gate = compileConfig({ approvalDescription });
  const secretFields = [
    ...new Set(ahead.references.filter(({ root }) => root === "secret").map(({ pointer }) => pointer)),
  ];
  return {
    raw,
    references: [...early.references, ...gate.references],
    lateReferences: late.references,
    problems: [...early.problems, ...late.problems, ...gate.problems],
    texts: [...early.texts, ...late.texts, ...gate.texts],
    resolve: (scope) => ahead.resolve(scope) as { [key: string]: Json },
    reveal(resolved, scope) {
      if (secretFields.length === 0) return resolved;
      const now = scope();
      const put = (into: Json, field: string): Json =>
        replaceAt(into, pointerParts(field), toJson(ahead.at(field)?.resolve(now)));
      return secretFields.reduce<Json>(put, resolved) as { [key: string]: Json };
    },
    renderLate(pointer, resolved, scope) {
      const isLate = lateTexts.some((text) => text === pointer || text.startsWith(`${pointer}/`));
      return isLate ? late.at(pointer)?.resolve(scope()) : readPath(resolved, pointerParts(pointer));
    },
    describeGate: (scope) => toText(gate.at("/approvalDescription")?.resolve(scope) ?? null) || null,
    referenceAt: (pointer) => soleReference(early, pointer),
  };
}

/**
 * Texts that wait for the handler: they read a root of its own, such as a Filter's `item`. So does one under a key that is
 * named like a wild card: its pointer would stand for others.
 */
function findLateTexts({ lateTemplates }: NodeType, { references, texts }: CompiledConfig): string[] {
  const own = new Set(
    references.filter(({ root }) => lateTemplates?.roots.includes(root)).map(({ pointer }) => pointer),
  );
  return texts.map(({ pointer }) => pointer).filter((pointer) => own.has(pointer) || /\/\*\*?(?:\/|$)/.test(pointer));
}

function soleReference(compiled: CompiledConfig, pointer: string): Reference | null {
  const template = compiled.at(pointer)?.template;
  const [reference, second] = template?.references ?? [];
  if (!template || !reference || second) return null;
  const before = template.source.slice(0, reference.offset);
  const after = template.source.slice(reference.offset + reference.text.length);
  return /^\{\{\s*$/.test(before) && /^\s*\}\}$/.test(after) ? reference : null;
}

import {
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
  isAlias,
  isScalar,
  isSeq,
  parseDocument,
} from "yaml";
import { maxJsonDepth } from "../../contract/limits.ts";
import {
  type SourceMember,
  type SourceNode,
  type SourceProblem,
  type SourceText,
  excessOf,
  listNode,
  objectNode,
  scalarNode,
  tooDeep,
} from "./source-tree.ts";

/**
 * Reads one YAML 1.2 document of the core schema as JSON values with positions. Doubled keys, tags, keys that are no
 * text, NaN and infinity, and aliases that multiply beyond measure are problems.
 */
export function readYaml(text: string): SourceText {
  const document = parseDocument(text, {
    schema: "core",
    merge: false,
    prettyErrors: false,
    resolveKnownTags: false,
    // The package compares every key with every other one; readMap needs no more than a set.
    uniqueKeys: false,
  });
  const problems = document.errors.map(({ code, message, pos }) => {
    return { code: "invalid_yaml", message: code === "MULTIPLE_DOCS" ? manyDocuments : message, at: pos[0] };
  });
  if (problems.length > 0) return { root: null, problems };
  if (!document.contents)
    return { root: null, problems: [{ code: "empty_file", message: "The file is empty", at: 0 }] };
  const reader: Reader = { anchors: new Map(), depth: 0, problems };
  for (const { message, pos } of document.warnings) report(reader, `${message}; ${jsonOnly}`, pos[0]);
  return { root: readNode(reader, document.contents, 0), problems };
}

const manyDocuments = "The file holds several documents, parted by ---; each belongs into a file of its own";

type Reader = { anchors: Map<string, SourceNode>; depth: number; problems: SourceProblem[] };

const jsonOnly = "only text, numbers, true, false, null, lists and objects can be used";

function report(reader: Reader, message: string, at: number): void {
  reader.problems.push({ code: "not_json", message, at });
}

function readNode(reader: Reader, node: ParsedNode | null, at: number): SourceNode {
  if (!node) return scalarNode(null, at);
  if (isAlias(node)) return readAlias(reader, node.source, node.range[0]);
  const read = readValue(reader, node);
  const excess = excessOf(read);
  if (excess) reader.problems.push(excess);
  const kept = excess ? scalarNode(null, read.at) : read;
  if (node.anchor !== undefined) reader.anchors.set(node.anchor, kept);
  return kept;
}

/** An anchor is known once its node has ended, so that no alias can stand for something that holds it. */
function readAlias(reader: Reader, name: string, at: number): SourceNode {
  const anchored = reader.anchors.get(name);
  if (anchored) return anchored;
  report(reader, `The alias *${name} names nothing that ends before it; define it with &${name}`, at);
  return scalarNode(null, at);
}

function readValue(reader: Reader, node: Scalar.Parsed | YAMLMap.Parsed | YAMLSeq.Parsed): SourceNode {
  const at = node.range[0];
  if (isScalar(node)) return readScalar(reader, node.value, at);
  if (reader.depth === maxJsonDepth) {
    reader.problems.push(tooDeep(at));
    return scalarNode(null, at);
  }
  reader.depth += 1;
  const read = isSeq(node) ? readList(reader, node) : readMap(reader, node);
  reader.depth -= 1;
  return read;
}

function readList(reader: Reader, node: YAMLSeq.Parsed): SourceNode {
  const at = node.range[0];
  return listNode(
    node.items.map((item) => readNode(reader, item, at)),
    at,
  );
}

function readMap(reader: Reader, node: YAMLMap.Parsed): SourceNode {
  const members = new Map<string, SourceMember>();
  for (const { key, value } of node.items) {
    const keyAt = key.range[0];
    const name = readKey(reader, key);
    if (members.has(name)) {
      const message = `The key ${name} occurs twice; keep one of them`;
      reader.problems.push({ code: "duplicate_key", message, at: keyAt });
    }
    members.set(name, { keyAt, node: readNode(reader, value, keyAt) });
  }
  return objectNode(members, node.range[0]);
}

function readKey(reader: Reader, key: ParsedNode): string {
  if (isScalar(key) && typeof key.value === "string") return key.value;
  const name = isScalar(key) ? key.source : "?";
  report(reader, `The key ${name} is no text; write it in quotes`, key.range[0]);
  return name;
}

function readScalar(reader: Reader, value: unknown, at: number): SourceNode {
  if (value === null || typeof value === "boolean" || typeof value === "string") return scalarNode(value, at);
  if (typeof value === "number" && Number.isFinite(value)) return scalarNode(value, at);
  report(reader, `${typeof value === "number" ? value : "This"} is no JSON value; ${jsonOnly}`, at);
  return scalarNode(null, at);
}

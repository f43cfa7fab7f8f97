import { eventType } from "../../contract/journal.ts";
import type { Issue, WorkflowDefinition } from "../../contract/workflow.ts";
import { type TestCase, testCase, testFile } from "../../contract/workflow-test.ts";
import { deriveType } from "../../engine/definition/derive-schemas.ts";
import { errorAt } from "../../engine/definition/issue.ts";
import { fieldNames } from "../../engine/definition/known-fields.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import { readJson } from "../../engine/definition/read-json.ts";
import { readYaml } from "../../engine/definition/read-yaml.ts";
import { readSchema } from "../../engine/definition/schema-problems.ts";
import { findOffset } from "../../engine/definition/source-tree.ts";
import { positionsOf } from "../../engine/definition/text-position.ts";
import { toPointer } from "../../engine/values/json-pointer.ts";
import { mockable } from "./mocked-catalogue.ts";

export type ReadTests = { cases: TestCase[]; issues: Issue[] };

/** A problem before it is given its place in the text. */
type Problem = { path: readonly PropertyKey[]; code: string; message: string };

/**
 * Reads a file of tests and holds it against the workflow that it tests. Reports every problem at once, each with its
 * place and the nearest name; there are no cases where there is one. Never throws.
 */
export function readTestFile(file: string, text: string, definition: WorkflowDefinition | null): ReadTests {
  const positionOf = positionsOf(text);
  const { root, problems } = /\.json$/i.test(file) ? readJson(text) : readYaml(text);
  const syntax = problems.map(({ code, message, at }) => ({
    ...errorAt({ path: "" }, code, message),
    ...positionOf(at),
  }));
  if (!root || syntax.length > 0) return { cases: [], issues: syntax };
  const { cases, found } = readCases(root.value);
  const all = definition ? [...found, ...cases.flatMap((each, index) => checkCase(each, index, definition))] : found;
  const issues = all.map(({ path, code, message }) => ({
    ...errorAt({ path: toPointer(path) }, code, message),
    ...positionOf(findOffset(root, path.map(String))),
  }));
  return { cases: issues.length > 0 ? [] : cases, issues };
}

function readCases(value: unknown): { cases: TestCase[]; found: Problem[] } {
  const read = readSchema(testFile, value);
  if (read.ok) return { cases: read.value, found: findTwins(read.value) };
  const shape = read.problems.map(({ path, message }) => ({ path, code: "invalid_test", message }));
  const unknown = read.unknown.flatMap(({ path, keys }) => {
    const known = fieldNames(testCase, path.slice(1));
    return keys.map((key) => {
      const message = `There is no field ${key} here${didYouMean(key, known) || `; there are ${known.join(", ")}`}`;
      return { path: [...path, key], code: "unknown_field", message };
    });
  });
  return { cases: [], found: [...unknown, ...shape] };
}

function findTwins(cases: readonly TestCase[]): Problem[] {
  const seen = new Set<string>();
  return cases.flatMap(({ name }, index) => {
    const isTwin = seen.has(name);
    seen.add(name);
    const message = `Another case is called "${name}" already; give each its own name`;
    return isTwin ? [{ path: [index, "name"], code: "duplicate_case", message }] : [];
  });
}

function checkCase(each: TestCase, index: number, definition: WorkflowDefinition): Problem[] {
  const nodes = new Map(definition.nodes.map(({ id, type }) => [id, type]));
  const isCallable = deriveType(definition) === "callable";
  const { approvals, expect, mocks } = each;
  const named = (map: unknown, path: string[], extra: readonly string[] = []): Problem[] =>
    Object.keys(typeof map === "object" && map !== null ? map : {}).flatMap((id) =>
      nodes.has(id) || extra.includes(id) ? [] : [unknownNode([index, ...path, id], id, [...nodes.keys(), ...extra])],
    );
  const wrong = isCallable ? "trigger" : "input";
  return [
    ...(each[wrong] === undefined ? [] : [wrongStart([index, wrong], isCallable)]),
    ...named(mocks, ["mocks"]),
    ...named(approvals, ["approvals"], ["run"]),
    ...named(expect.steps, ["expect", "steps"]),
    ...Object.keys(mocks ?? {}).flatMap((id) => checkMock(id, nodes.get(id), [index, "mocks", id])),
    ...(expect.journal ?? []).flatMap((line, at) => checkEvent(line, [index, "expect", "journal", at], nodes)),
  ];
}

function unknownNode(path: readonly PropertyKey[], id: string, known: readonly string[]): Problem {
  const message = `The workflow has no node ${id}${didYouMean(id, known) || `; it has ${known.join(", ")}`}`;
  return { path, code: "unknown_node", message };
}

function wrongStart(path: readonly PropertyKey[], isCallable: boolean): Problem {
  const message = isCallable
    ? "The workflow is callable and has no trigger: give what it is called with as input"
    : "The workflow is event-driven and takes no input: give the trigger's output as trigger";
  return { path, code: "wrong_start", message };
}

function checkMock(id: string, type: string | undefined, path: readonly PropertyKey[]): Problem[] {
  if (type === undefined || mockable.has(type)) return [];
  const message = `${id} is a ${type} and runs for real: only ${[...mockable].join(", ")} nodes are given answers`;
  return [{ path, code: "not_mockable", message }];
}

function checkEvent(line: string, path: readonly PropertyKey[], nodes: ReadonlyMap<string, string>): Problem[] {
  const [type = "", id, ...more] = line.split(" ");
  if (!eventType.options.some((known) => known === type) || more.length > 0) {
    const message = `${line} is no event, which is a type or a type and a node id${didYouMean(type, eventType.options)}`;
    return [{ path, code: "unknown_event", message }];
  }
  return id === undefined || nodes.has(id) ? [] : [unknownNode(path, id, [...nodes.keys()])];
}

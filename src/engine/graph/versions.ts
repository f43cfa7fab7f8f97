import type { ApprovalPolicy } from "../../contract/action.ts";
import type { Json } from "../../contract/json.ts";
import type { Store } from "../../store/store.ts";
import { type Graph, compileGraph } from "./graph.ts";
import { type InputCheck, compileInputSchema } from "../definition/input-schema.ts";
import type { NodeType } from "../node.ts";

/** A published version made ready to run: its graph with every template compiled, and its input check. */
export type CompiledVersion = {
  graph: Graph;
  inputSchema: { [key: string]: Json } | null;
  checkInput: InputCheck;
  /** Slug of the action that a failed run starts. */
  onFailure: string | null;
  /** How many of the workflow's runs may be under way at once. */
  concurrency: number | null;
  /** The definition's own; a callable workflow has its action's. */
  approvalPolicy: ApprovalPolicy;
};

export type VersionCache = { load(versionId: string): Promise<CompiledVersion> };

/** Compiles each version once and keeps the most recently used; a published version never changes (contract 2). */
export function createVersionCache(store: Store, catalogue: readonly NodeType[], capacity = 500): VersionCache {
  const compiled = new Map<string, Promise<CompiledVersion>>();

  async function compile(versionId: string): Promise<CompiledVersion> {
    const version = await store.getVersion(versionId);
    if (!version) throw new Error(`Version ${versionId} is not in the store although a run or an action names it`);
    return {
      graph: compileGraph(version.definition, catalogue),
      inputSchema: version.inputSchema,
      checkInput: compileInputSchema(version.inputSchema),
      onFailure: version.definition.on_failure ?? null,
      concurrency: version.definition.concurrency ?? null,
      approvalPolicy: version.definition.approval_policy,
    };
  }

  return {
    load(versionId) {
      const known = compiled.get(versionId);
      const entry = known ?? compile(versionId);
      // Reinsertion keeps the map in order of use; the first key is the one unused for longest.
      compiled.delete(versionId);
      compiled.set(versionId, entry);
      if (!known) entry.catch(() => compiled.delete(versionId));
      const oldest = compiled.size > capacity ? compiled.keys().next().value : undefined;
      if (oldest !== undefined) compiled.delete(oldest);
      return entry;
    },
  };
}

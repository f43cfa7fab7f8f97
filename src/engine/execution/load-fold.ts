import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { RunRecord } from "../../store/store.ts";
import { RunFold } from "../graph/fold.ts";
import type { Graph } from "../graph/graph.ts";
import { readInput, readOriginals, readWithSealed } from "./read-originals.ts";
import { GoneOriginalsError } from "../redaction/seal.ts";
import type { Services } from "../services.ts";
import { originalsGone } from "./step-errors.ts";

/** A run's position, from its true values; where these are gone, from what is stored, and the run can only fail. */
export async function loadFold(
  services: Pick<Services, "store" | "sealer">,
  run: RunRecord,
  graph: Graph,
): Promise<LoadedFold> {
  try {
    const input = await readInput(services, run);
    const fold = new RunFold(graph, input);
    for await (const event of readOriginals(services, run)) fold.apply(event);
    return { fold, input, gone: null };
  } catch (error) {
    if (!(error instanceof GoneOriginalsError)) throw error;
    const fold = new RunFold(graph, run.input);
    for await (const { event } of readWithSealed(services, run)) fold.apply(event);
    return { fold, input: run.input, gone: originalsGone(error.message) };
  }
}

export type LoadedFold = { fold: RunFold; input: Json; gone: RunError | null };

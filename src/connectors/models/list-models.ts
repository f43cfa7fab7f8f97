import * as z from "zod";
import { type StepOutcome, done } from "../../engine/node.ts";
import { answerJson } from "./answer-json.ts";
import { malformed, modelFailure } from "./model-failure.ts";
import { type KeyPlace, type ProviderCall, missingKey } from "./model-request.ts";

const models = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Whether a connection works: the names of the models that it leads to. `get` asks for `<base>/models`. */
export async function listModels(
  place: KeyPlace,
  call: ProviderCall,
  get: () => Promise<unknown>,
): Promise<StepOutcome> {
  const keyless = missingKey(call, place);
  if (keyless) return keyless;
  try {
    const read = models.safeParse(answerJson(await get()));
    if (!read.success) return malformed(place.name, "it is no list of models");
    return done({ models: read.data.data.map(({ id }) => id) });
  } catch (thrown) {
    return modelFailure(place.name, thrown, call);
  }
}

import * as z from "zod";
import { type StepOutcome, done } from "../../engine/node.ts";
import type { ServiceCall } from "../service-call.ts";
import { askProvider } from "./ask-provider.ts";
import { malformed } from "./model-failure.ts";
import type { Provider } from "./provider.ts";

const models = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Whether a connection works: the names of the models that it leads to. `get` asks for `<base>/models`. */
export async function listModels(
  provider: Provider,
  call: ServiceCall,
  get: () => Promise<unknown>,
): Promise<StepOutcome> {
  return askProvider(provider, call, get, (answer) => {
    const read = models.safeParse(answer);
    if (!read.success) return malformed(provider.name, "it is no list of models");
    return done({ models: read.data.data.map(({ id }) => id) });
  });
}

import type { StepOutcome } from "../../engine/node.ts";
import { parseJson } from "../../engine/values/json.ts";
import type { ServiceCall } from "../service-call.ts";
import { modelFailure } from "./model-failure.ts";
import { type Provider, missingKey } from "./provider.ts";

/**
 * Asks a provider once, through its SDK. `read` answers for the form of what comes back; a key that is missing and all that
 * the SDK throws are failures in the words of spec 2.8.
 */
export async function askProvider(
  provider: Provider,
  call: ServiceCall,
  ask: () => Promise<unknown>,
  read: (answer: unknown) => StepOutcome,
): Promise<StepOutcome> {
  const keyless = missingKey(call, provider);
  if (keyless) return keyless;
  try {
    const answer = await ask();
    // An SDK hands over text when a server forgets to say that it sends JSON.
    return read(typeof answer === "string" ? parseJson(answer) : answer);
  } catch (thrown) {
    return modelFailure(provider.name, thrown, call);
  }
}

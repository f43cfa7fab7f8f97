import type { Connector } from "../engine/connector.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { http } from "./http/http.ts";
import { openai } from "./openai/openai.ts";
import { stepgate } from "./stepgate/stepgate.ts";

/** Every connector that Stepgate brings along, in picker order. */
export const connectors: readonly Connector[] = [http, stepgate, openai, anthropic];

import type { Connector } from "../engine/connector.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { http } from "./http/http.ts";
import { hubspot } from "./hubspot/hubspot.ts";
import { openai } from "./openai/openai.ts";
import { stepgate } from "./stepgate/stepgate.ts";
import { telegram } from "./telegram/telegram.ts";

/** Every connector that Stepgate brings along, in picker order. */
export const connectors: readonly Connector[] = [http, stepgate, telegram, hubspot, openai, anthropic];

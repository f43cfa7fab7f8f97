import type { NodeType } from "../engine/node.ts";
import { actionInput } from "./action-input.ts";
import { aggregate } from "./aggregate.ts";
import { code } from "./code.ts";
import { condition } from "./condition.ts";
import { connector } from "./connector.ts";
import { filter } from "./filter.ts";
import { llm } from "./llm.ts";
import { loop } from "./loop.ts";
import { merge } from "./merge.ts";
import { noop } from "./noop.ts";
import { ragRetrieve } from "./rag-retrieve.ts";
import { respondToWebhook } from "./respond-to-webhook.ts";
import { returnOutput } from "./return-output.ts";
import { set } from "./set.ts";
import { splitOut } from "./split-out.ts";
import { stopAndError } from "./stop-and-error.ts";
import { switchNode } from "./switch.ts";
import { trigger } from "./trigger.ts";
import { wait } from "./wait.ts";

/** Every node type there is, in picker order. */
export const nodes: readonly NodeType[] = [
  actionInput,
  returnOutput,
  trigger,
  connector,
  condition,
  switchNode,
  loop,
  merge,
  wait,
  stopAndError,
  set,
  filter,
  aggregate,
  splitOut,
  code,
  llm,
  ragRetrieve,
  noop,
  respondToWebhook,
];

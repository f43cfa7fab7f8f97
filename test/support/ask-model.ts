import type { Json } from "../../src/contract/json.ts";
import type { Connector } from "../../src/engine/connector.ts";
import type { StepOutcome } from "../../src/engine/node.ts";
import { callOperation, connection } from "./call-operation.ts";
import { type ModelAnswer, type ModelRequest, type ModelServer, modelServer } from "./model-server.ts";

type Input = { [key: string]: Json };

/** Puts questions to a provider's connector, through a connection to a stand-in with this key. */
export class ModelAsker {
  readonly #connector: Connector;
  readonly #key: string;
  readonly #question: Input;

  constructor(connector: Connector, key: string, question: Input) {
    this.#connector = connector;
    this.#key = key;
    this.#question = question;
  }

  async ask(server: ModelServer, input = this.#question, secrets = { api_key: this.#key }): Promise<StepOutcome> {
    const open = connection(this.#connector, { baseUrl: server.baseUrl }, secrets);
    return callOperation(this.#connector, "complete", input, { connection: open });
  }

  /** What comes of an answer, and the requests that it took. */
  async askFor(answer: ModelAnswer): Promise<{ outcome: StepOutcome; requests: ModelRequest[] }> {
    const server = await modelServer();
    server.next.push(answer);
    return { outcome: await this.ask(server), requests: server.requests };
  }

  /** What the connection's own test says. */
  async test(server: ModelServer): Promise<StepOutcome | undefined> {
    return this.#connector.test?.({
      connection: connection(this.#connector, { baseUrl: server.baseUrl }, { api_key: this.#key }),
      fetch,
      workspaceId: 1,
      signal: new AbortController().signal,
      now: () => new Date(),
      random: () => 0.5,
      log: () => undefined,
    });
  }
}

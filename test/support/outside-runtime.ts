import type { ConnectionBody } from "../../src/contract/connection.ts";
import type { OutsideSettings } from "../../src/contract/outside.ts";
import { RunDriver } from "./run-driver.ts";
import { type RuntimeOptions, type TestRuntime, testRuntime } from "./runtime.ts";

type Options = Omit<RuntimeOptions, "outside"> & { outside?: Partial<OutsideSettings>; allow?: readonly string[] };

/** A runtime whose calls may reach this machine, and what tests of calls do with it. */
export async function outsideRuntime({ allow = ["127.0.0.1"], outside, ...options }: Options = {}): Promise<Outside> {
  const egress = { allow, allowPrivateNetworks: false };
  return new Outside(await testRuntime({ ...options, outside: { egress, ...outside } }));
}

export class Outside {
  readonly test: TestRuntime;
  readonly driver: RunDriver;

  constructor(test: TestRuntime) {
    this.test = test;
    this.driver = new RunDriver(test);
  }

  /** Publishes an action with one connector node `call`; its input is the run's, its output the node's. */
  async publishCall(data: object = {}, slug = "call"): Promise<void> {
    const call = { connector: "http", operation: "request", input: callInput, ...data };
    await this.test.publish(`
name: ${slug}
slug: ${slug}
nodes:
  - { id: action_input, type: action_input }
  - { id: call, type: connector, data: ${JSON.stringify(call)} }
  - { id: return_output, type: return_output }
edges: [action_input -> call, call -> return_output]
`);
  }

  async addConnection(request: object): Promise<ConnectionBody> {
    const answer = await this.test.control<ConnectionBody>("POST", "/control/connections", { name: "c", ...request });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }
}

/** Fields that a run's input leaves out are left out of the call. */
const callInput = Object.fromEntries(
  ["method", "url", "headers", "query", "body", "failOnStatus"].map((name) => [name, `{{action_input.${name}}}`]),
);

import { isRecord } from "../../engine/values/json.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

type PromptArgument = { name: string; description: string; required: true };

type Prompt = {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** Tools that the text steers to; the prompt is there when the caller sees all of them. */
  tools: readonly string[];
  write(given: ReadonlyMap<string, string>): string;
};

const prompts: readonly Prompt[] = [
  {
    name: "debug_run",
    title: "Debug a run",
    description: "Finds out why a run failed or what it is waiting for, and what to do about it.",
    arguments: [{ name: "run_id", description: "The run's id", required: true }],
    tools: ["get_run_status", "get_run_events"],
    write: (given) =>
      `Find out what became of the Stepgate run ${given.get("run_id")}.\n` +
      "1. Read it with get_run_status and look at its status, its error and its last steps.\n" +
      "2. Read its journal with get_run_events, page by page, up to the first step_failed or step_timed_out, or to the " +
      "step that it waits at.\n" +
      "3. Compare that step's inputData with what the step needs, and with the outputData of the steps before it.\n" +
      "Then tell me in a few sentences: which step, what went wrong, whether the cause is the input, the workflow or " +
      "another system, and the smallest change that mends it. Start no run without asking me.",
  },
  {
    name: "review_approvals",
    title: "Review approvals",
    description: "Shows what waits for an approval and what each would do, for the user to decide.",
    arguments: [],
    tools: ["list_runs", "get_run_status", "approve_run"],
    write: () =>
      "Show me the Stepgate runs that wait for an approval.\n" +
      "1. Find them with list_runs and needs_approval true.\n" +
      "2. Read each with get_run_status: its approval has the inputs that will be used, a description and the expiry.\n" +
      "3. For each tell me in one or two sentences what will happen if it is approved, and what looks unusual.\n" +
      "Decide nothing yourself: call approve_run only for the runs that I name, with the decision that I give.",
  },
  {
    name: "build_workflow",
    title: "Build a workflow",
    description: "Builds a workflow for a goal, checks it and publishes it as an action.",
    arguments: [{ name: "goal", description: "What the workflow is to do", required: true }],
    tools: [
      "list_connectors",
      "get_connector_operations",
      "get_operation_schema",
      "create_workflow",
      "deploy_workflow",
    ],
    write: (given) =>
      `Build a Stepgate workflow for this goal:\n${given.get("goal")}\n` +
      "1. Find the connectors and operations that it needs with list_connectors and get_connector_operations, and read " +
      "their schemas with get_operation_schema.\n" +
      "2. Write the definition: an action_input with the fields that callers give, the steps, a return_output. Steps " +
      "that change other systems and cannot be undone get requireApproval.\n" +
      "3. Check it with create_workflow and validate_only, mend every error, then create it.\n" +
      "4. Show me the definition, and publish it with deploy_workflow when I agree.",
  },
];

/** The prompts whose tools the caller sees, as `prompts/list` shows them. */
export function listPrompts(tools: ReadonlySet<string>): Omit<Prompt, "tools" | "write">[] {
  return visiblePrompts(tools).map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args,
  }));
}

/** A prompt that the caller sees; throws invalidParams for any other. */
export function findPrompt(
  tools: ReadonlySet<string>,
  name: string,
): Pick<Prompt, "description" | "arguments" | "write"> {
  const prompt = visiblePrompts(tools).find((candidate) => candidate.name === name);
  if (!prompt) throw new RpcError(rpcCodes.invalidParams, `Unknown prompt: ${name.slice(0, 100)}`);
  return prompt;
}

/** The text of a prompt, as a message of the user; throws invalidParams for an unknown one or a missing argument. */
export function getPrompt(tools: ReadonlySet<string>, name: string, args: unknown): object {
  const prompt = findPrompt(tools, name);
  const given = new Map(prompt.arguments.map((argument) => [argument.name, readArgument(args, argument.name)]));
  const text = prompt.write(given);
  return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function visiblePrompts(tools: ReadonlySet<string>): readonly Prompt[] {
  return prompts.filter((prompt) => prompt.tools.every((tool) => tools.has(tool)));
}

function readArgument(args: unknown, name: string): string {
  const value = isRecord(args) && Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof value === "string" && value !== "") return value;
  throw new RpcError(rpcCodes.invalidParams, `The argument ${name} is missing`);
}

import type { EventStream, Request } from "../operation.ts";
import type { OnActionsChange } from "../watch-actions.ts";
import { tasksExtension } from "./client-capabilities.ts";
import { complete } from "./completions.ts";
import { type Era, negotiateVersion, supportedVersions } from "./era.ts";
import { writeInstructions } from "./instructions.ts";
import { listen } from "./listen.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import type { RequestId, RpcRequest } from "./read-message.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";
import { cancelTask, createTask, getTask, updateTask } from "./tasks.ts";
import type { Surface, Toolbox } from "./toolbox.ts";

type Params = RpcRequest["params"];

/** What a method is asked with. */
export type Call = {
  request: Request;
  surface: Surface;
  era: Era;
  toolbox: Toolbox;
  serverInfo: object;
  onActionsChange: OnActionsChange;
};

export type Method = {
  /** The one era that knows the method; both when absent. */
  era?: Era;
  /** Parameter that a modern client repeats in a header. */
  named?: "name" | "uri" | "taskId";
  /** Asked of clients alone that declare the tasks extension; others learn that they have to. */
  needsTasks?: true;
  /** Milliseconds for which a modern client may keep the answer; absent where it is not to be kept at all. */
  ttlMs?(surface: Surface): number;
} & (
  | { answer(call: Call, params: Params): object | Promise<object>; open?: undefined }
  /** Answered with a stream of messages; what it throws is answered as of any other method. */
  | { open(call: Call, params: Params, id: RequestId): Promise<EventStream> }
);

const hourMs = 3_600_000;
/** Of lists that follow what others publish and run. */
const liveMs = 5_000;

const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** What the modern era has a channel for besides: its streams tell of changes, and runs can be followed as tasks. */
function modernCapabilities({ surface }: Call): object {
  return {
    ...capabilities,
    tools: surface === "fixed" ? {} : { listChanged: true },
    resources: { subscribe: true },
    extensions: { [tasksExtension]: {} },
  };
}

/** Everything that clients can ask for. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    "initialize",
    {
      era: "handshake",
      answer: (call, { protocolVersion }) => ({
        protocolVersion: negotiateVersion(protocolVersion),
        capabilities,
        serverInfo: call.serverInfo,
        instructions: writeInstructions(visibleTools(call)),
      }),
    },
  ],
  ["ping", { era: "handshake", answer: () => ({}) }],
  [
    "server/discover",
    {
      era: "modern",
      ttlMs: () => hourMs,
      answer: (call) => ({
        supportedVersions,
        capabilities: modernCapabilities(call),
        instructions: writeInstructions(visibleTools(call)),
      }),
    },
  ],
  [
    "tools/list",
    {
      ttlMs: (surface) => (surface === "fixed" ? hourMs : liveMs),
      answer: async ({ toolbox, request, surface }) => ({ tools: await toolbox.list(request, surface) }),
    },
  ],
  ["tools/call", { named: "name", answer: callTool }],
  [
    "resources/list",
    {
      ttlMs: () => liveMs,
      answer: async ({ toolbox, request }) => ({ resources: await listResources(toolbox, request) }),
    },
  ],
  [
    "resources/templates/list",
    { ttlMs: () => hourMs, answer: (call) => ({ resourceTemplates: listTemplates(visibleTools(call)) }) },
  ],
  [
    "resources/read",
    {
      named: "uri",
      ttlMs: () => 0,
      answer: async ({ toolbox, request, era }, params) => ({
        contents: await readResource(toolbox, request, requireText(params, "uri"), era),
      }),
    },
  ],
  ["prompts/list", { ttlMs: () => hourMs, answer: (call) => ({ prompts: listPrompts(visibleTools(call)) }) }],
  [
    "prompts/get",
    {
      named: "name",
      answer: (call, params) => getPrompt(visibleTools(call), requireText(params, "name"), params["arguments"]),
    },
  ],
  ["completion/complete", { answer: complete }],
  ["subscriptions/listen", { era: "modern", open: listen }],
  ["tasks/get", { era: "modern", named: "taskId", needsTasks: true, answer: getTask }],
  ["tasks/update", { era: "modern", named: "taskId", needsTasks: true, answer: updateTask }],
  ["tasks/cancel", { era: "modern", named: "taskId", needsTasks: true, answer: cancelTask }],
]);

function visibleTools({ toolbox, request, surface }: Call): ReadonlySet<string> {
  return toolbox.names(request.caller.scopes, surface);
}

async function callTool(call: Call, params: Params): Promise<object> {
  const { toolbox, request, surface } = call;
  const body = await toolbox.call(request, surface, requireText(params, "name"), params["arguments"]);
  const task = createTask(call, params, body);
  if (task) return task;
  return { content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: body };
}

function requireText(params: Params, name: "name" | "uri"): string {
  const value = params[name];
  if (typeof value !== "string") throw new RpcError(rpcCodes.invalidParams, `params.${name} must be a text`);
  return value;
}

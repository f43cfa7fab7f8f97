import { expect, it } from "vitest";
import { resolveHome } from "../../src/daemon/home.ts";
import { atTerminal, stepgate } from "../support/command-line.ts";
import { liveDaemon } from "../support/live-daemon.ts";

const script = String.raw`export const run = ({ n }) => {
  console.log("n is", n, "\u001b[2J");
  console.log("two\nlines");
  return n;
}`;

const workflow = JSON.stringify({
  name: "Talk",
  slug: "talk",
  nodes: [
    { id: "action_input", type: "action_input", data: { properties: [] } },
    { id: "each", type: "loop", data: { items: [7, 8] } },
    { id: "say", type: "code", data: { code: script, fieldMappings: { n: "{{item}}" } } },
    { id: "result", type: "return_output", data: { properties: [] } },
  ],
  edges: ["action_input -> each", "each.loop -> say", "each.done -> result"],
});

it("runs logs prints what scripts wrote, with the step and its iteration, fit for each reader", async () => {
  const daemon = await liveDaemon();
  await daemon.publish(workflow);
  const { stdout: id } = await stepgate(daemon.folder, ["run", "talk", "--wait", "-q"]);
  const read = async (...flags: string[]) =>
    (await stepgate(daemon.folder, ["runs", "logs", id.trim(), ...flags])).stdout;

  const { logs, next_after } = JSON.parse(await read("--json"));
  expect(logs).toEqual([
    expect.objectContaining({ seq: 1, step_id: "say", iteration: [0], attempt: 1, text: "n is 7 \u001b[2J" }),
    expect.objectContaining({ seq: 2, text: "two\nlines" }),
    expect.objectContaining({ seq: 3, iteration: [1], text: "n is 8 \u001b[2J" }),
    expect.objectContaining({ seq: 4 }),
  ]);
  expect(next_after).toBe(4);
  expect(JSON.parse(await read("--after", "3", "--json")).logs).toHaveLength(1);
  expect((await read("--jsonl")).trim().split("\n")).toHaveLength(4);
  expect((await read()).split("\n")[1]).toMatch(/^2\t\S+\tsay\[0\]\ttwo\\nlines$/);
  const { socket } = resolveHome({ STEPGATE_HOME: daemon.folder });
  const { stdout } = await atTerminal(socket, ["runs", "logs", id.trim()]);
  expect(stdout).toMatch(/say\[0\] {2}n is 7 \n.*say\[0\] {2}two\n {2}lines\n/);
  expect(await stepgate(daemon.folder, ["runs", "logs", crypto.randomUUID()])).toMatchObject({ code: 5 });
});

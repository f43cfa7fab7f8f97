import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import type { ConnectorList } from "../../src/contract/connector-api.ts";
import { resolveHome } from "../../src/daemon/home.ts";
import { atTerminal, stepgate } from "../support/command-line.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { exampleText, sampleManifest } from "../support/manifests.ts";

it("connectors are checked, built, shown and removed from the command line", async () => {
  const daemon = await liveDaemon();
  const { socket } = resolveHome({ STEPGATE_HOME: daemon.folder });
  const run = async (...args: string[]) => atTerminal(socket, ["connectors", ...args], { env: {} });
  const runAlone = async (...args: string[]) => stepgate(daemon.folder, ["connectors", ...args]);
  const write = (name: string, text: string): string => {
    const file = join(daemon.folder, name);
    writeFileSync(file, text);
    return file;
  };
  const good = write("desk.yaml", stringify(sampleManifest()));
  const bad = write("bad.yaml", stringify(sampleManifest({ slug: "Desk", opertions: [] })));
  const wrong = await runAlone("validate", bad);
  expect(wrong.code).toBe(7);
  expect(wrong.stdout).toMatch(/^.*bad\.yaml:1:\d+ error slug must be 1 to 57/m);
  expect(wrong.stdout).toMatch(
    /bad\.yaml:\d+:\d+ error There is no field opertions; did you mean operations\? \(unknown_field\)/,
  );
  expect((await run("build", bad)).code).toBe(7);
  expect(await runAlone("validate", good)).toMatchObject({ code: 0, stdout: "" });
  expect((await run("build", join(daemon.folder, "none.yaml"))).code).toBe(2);
  expect((await run("build", good, "--slug", "http")).code).toBe(6);
  expect((await run("build", good, "--slug", "Bad Slug")).code).toBe(2);
  expect(await run("build", good, "-q")).toMatchObject({ code: 0, stdout: "desk\n" });
  const trains = write("Train Travel.v1.json", exampleText("3.1/json/train-travel"));
  expect(await run("build", trains, "-q")).toMatchObject({ code: 0, stdout: "train-travel-v1\n" });
  const { connectors } = JSON.parse((await run("list", "--json")).stdout) as ConnectorList;
  const built = connectors.filter(({ status }) => status === "built").map(({ connector_id }) => connector_id);
  expect(built).toEqual(["desk", "train-travel-v1"]);
  expect((await runAlone("show", "desk")).stdout).toBe("get\taction\tGet\t\n");
  expect(JSON.parse((await run("show", "desk", "--operation", "get", "--json")).stdout)).toMatchObject({
    operation_id: "get",
  });
  const manifest = write("again.json", (await run("show", "train-travel-v1", "--manifest")).stdout);
  expect((await run("build", manifest, "-q")).stdout).toBe("train-travel-v1\n");
  expect((await run("show", "dsk")).code).toBe(5);
  expect((await run("remove", "desk", "--yes")).code).toBe(0);
  expect((await run("remove", "desk", "--yes")).code).toBe(5);
}, 60_000);

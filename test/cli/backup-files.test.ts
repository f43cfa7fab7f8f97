import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { FileList } from "../../src/contract/file.ts";
import { defaultOutside } from "../../src/contract/outside.ts";
import { stepgate } from "../support/command-line.ts";
import { HttpService } from "../support/http-service.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 251));
const digest = createHash("sha256").update(bytes).digest("hex");

/** A daemon that runs, one of whose runs has a file. */
async function withFile() {
  const service = await HttpService.start((_, response) => {
    response.writeHead(200, { "content-type": "application/pdf" }).end(bytes);
  });
  const egress = { ...defaultOutside.egress, allow: [new URL(service.url).host] };
  const daemon = await liveDaemon({ outside: { ...defaultOutside, egress } });
  const input = { method: "GET", url: `${service.url}/bill.pdf`, responseType: "file" };
  await daemon.publish(`
name: download
slug: download
nodes:
  - { id: action_input, type: action_input }
  - { id: get, type: connector, data: ${JSON.stringify({ connector: "http", operation: "request", input })} }
  - { id: return_output, type: return_output, data: { properties: [{ name: file, type: object, value: "{{get.body}}" }] } }
edges: [action_input -> get, get -> return_output]
`);
  const { run_id: run } = await json(daemon.folder, "run", "download", "--wait");
  return { daemon, run: String(run), place: join(daemon.folder, "files", digest.slice(0, 2), digest) };
}

async function json(home: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await stepgate(home, [...args, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** Puts other bytes in the place of the file's in a backup. */
function damage(backup: string): void {
  const db = new Database(backup);
  db.prepare("UPDATE backup_files SET bytes = zeroblob(length(bytes))").run();
  db.close();
}

it("a backup has the files of runs in it, and a restore elsewhere brings them back with everything else", async () => {
  const { daemon, run } = await withFile();
  const [other, safe] = [temporaryFolder(), temporaryFolder()];
  const [backup, key] = [join(safe, "b.db"), join(safe, "master.key")];
  const made = await json(daemon.folder, "db", "backup", backup, "--with-key", key);
  expect(made).toMatchObject({ files: 1, files_missing: 0 });
  expect([statSync(backup).mode & 0o777, Number(made["bytes"])]).toEqual([0o600, statSync(backup).size]);
  expect(readdirSync(safe).toSorted()).toEqual(["b.db", "master.key"]);

  copyFileSync(key, join(other, "master.key"));
  expect(await json(other, "db", "restore", backup, "--yes")).toMatchObject({ files: 1, kept: null });
  expect(statSync(join(other, "stepgate.db")).size).toBeLessThan(statSync(backup).size - bytes.length / 2);
  await json(other, "start", "--port", "0", "--wait-ready", "60s");
  try {
    const { files } = (await json(other, "runs", "files", run)) as unknown as FileList;
    const out = join(safe, "out.pdf");
    await json(other, "files", "get", files[0]?.file_id ?? "", "-o", out);
    expect(readFileSync(out).equals(bytes)).toBe(true);
    const modes = readdirSync(join(other, "files"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mode & 0o777);
    expect(modes).toEqual([0o600]);
  } finally {
    await stepgate(other, ["stop", "--timeout", "1s", "--force"]);
  }
});

it("contents that are damaged in the backup stop a restore before anything is replaced; damaged ones in the home are mended", async () => {
  const { daemon, place } = await withFile();
  const safe = temporaryFolder();
  const [whole, spoilt] = [join(safe, "whole.db"), join(safe, "spoilt.db")];
  await json(daemon.folder, "db", "backup", whole);
  copyFileSync(whole, spoilt);
  damage(spoilt);
  await daemon.stop();
  const before = readFileSync(join(daemon.folder, "stepgate.db"));
  const refused = await stepgate(daemon.folder, ["db", "restore", spoilt, "--yes"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(`the database stays as it is: the contents of file ${digest} are damaged`);
  expect(readFileSync(join(daemon.folder, "stepgate.db")).equals(before)).toBe(true);

  writeFileSync(place, Buffer.alloc(bytes.length));
  await json(daemon.folder, "db", "restore", whole, "--yes");
  expect(readFileSync(place).equals(bytes)).toBe(true);
});

it("a backup tells how many contents were not there to be kept", async () => {
  const { daemon, place } = await withFile();
  writeFileSync(place, "changed");
  const { code, stdout, stderr } = await stepgate(daemon.folder, ["db", "backup", "--json"]);
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ files: 0, files_missing: 1 })]);
  expect(stderr).toBe("");
});

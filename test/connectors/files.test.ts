import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { FileList, FileReference } from "../../src/contract/file.ts";
import { defaultOutside } from "../../src/contract/outside.ts";
import { stepgate } from "../support/command-line.ts";
import { HttpService } from "../support/http-service.ts";
import { liveDaemon } from "../support/live-daemon.ts";
import { outsideRuntime } from "../support/outside-runtime.ts";
import { TelegramService, botToken } from "../support/telegram-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hour = 3_600_000;
const bytes = Buffer.from(Array.from({ length: 6000 }, (_, n) => (n * 7) % 256));

/** A service that gives a file at any path, and takes whatever is sent. */
async function open(outside: Parameters<typeof outsideRuntime>[0] = {}) {
  const folder = temporaryFolder();
  const service = await HttpService.start((request, response) => {
    const given = request.method === "GET";
    const headers = given
      ? { "content-type": "application/pdf", "content-disposition": 'attachment; filename="../../bill.pdf"' }
      : { "content-type": "application/json" };
    response.writeHead(200, headers).end(given ? bytes : "{}");
  });
  const runtime = await outsideRuntime({ filesFolder: folder, ...outside });
  const kept = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const download = { method: "GET", url: `${service.url}/bills/7`, responseType: "file" };
  return { folder, service, test: runtime.test, runtime, kept, download };
}

/** A workflow that downloads a file and hands it on. */
function handOn(download: object, send: object): string {
  return `
name: hand on
slug: hand-on
nodes:
  - { id: action_input, type: action_input }
  - { id: get, type: connector, data: ${JSON.stringify({ connector: "http", operation: "request", input: download })} }
  - { id: send, type: connector, data: ${JSON.stringify(send)} }
  - { id: return_output, type: return_output, data: { properties: [{ name: file, type: object, value: "{{get.body}}" }] } }
edges: [action_input -> get, get -> send, send -> return_output]
`;
}

it("an answer becomes a file that payloads refer to, kept for this user alone, and is uploaded again byte for byte", async () => {
  const { test, service, kept, download } = await open();
  const input = { method: "POST", url: service.url, form: { note: "a bill", bill: "{{get.body}}" } };
  await test.publish(handOn(download, { connector: "http", operation: "request", input }));
  const run = await test.runToEnd("hand-on");
  expect(run.status).toBe("succeeded");
  const { file } = run.output as { file: FileReference };
  expect(file).toEqual({ file_id: expect.any(String), name: "bill.pdf", size: 6000, mime: "application/pdf" });
  const [entry] = kept();
  expect(statSync(join(entry?.parentPath ?? "", entry?.name ?? "")).mode & 0o777).toBe(0o600);
  const sent = service.requests.at(-1);
  expect(sent?.headers["content-type"]).toContain("multipart/form-data; boundary=");
  expect(sent?.body).toContain('name="bill"; filename="bill.pdf"\r\nContent-Type: application/pdf');
  expect(Number(sent?.headers["content-length"])).toBeGreaterThan(6000);
  const opened = await test.runtime.services.files.find(1, file.file_id);
  expect(Buffer.from(opened?.bytes ?? []).equals(bytes)).toBe(true);
  expect(await test.runtime.services.files.find(2, file.file_id)).toBe(null);
});

it("equal files lie on the disk once, and go with the last run that refers to them", async () => {
  const { test, service, kept, download } = await open();
  const input = { method: "POST", url: service.url, form: { bill: "{{get.body}}" } };
  await test.publish(handOn(download, { connector: "http", operation: "request", input }));
  const first = await test.runToEnd("hand-on");
  const second = await test.runToEnd("hand-on");
  expect(kept()).toHaveLength(1);
  const replayed = await test.post<{ run_id: string }>(`/runs/${first.run_id}/replay`, { from: "send" });
  await test.get(`/runs/${replayed.body.run_id}?wait=60`);
  const { files } = test.runtime.services;
  const remove = async (id: string) => {
    await test.control("POST", `/control/runs/${id}/delete`);
    test.clock.advance(2 * hour);
    await files.sweep();
  };
  await remove(first.run_id);
  const { file } = first.output as { file: FileReference };
  // The replay took over the step that made it.
  expect(await files.find(1, file.file_id)).not.toBe(null);
  expect(await test.store.listRunFiles(replayed.body.run_id)).toMatchObject([{ id: file.file_id }]);
  await remove(replayed.body.run_id);
  expect(await files.find(1, file.file_id)).toBe(null);
  expect(kept()).toHaveLength(1);
  await remove(second.run_id);
  expect(kept()).toHaveLength(0);
});

it("a file that is too large, or is not there, fails the step", async () => {
  const { test, service, kept, download } = await open({ outside: { files: { maxBytes: 5000 } } });
  const input = { method: "POST", url: service.url, form: { bill: "{{get.body}}" } };
  await test.publish(handOn(download, { connector: "http", operation: "request", input }));
  expect((await test.runToEnd("hand-on")).error).toMatchObject({ code: "VALIDATION_ERROR", step_id: "get" });
  expect(kept()).toHaveLength(0);
  const nobody = { file_id: "01980000-0000-7000-8000-000000000001", name: "a", size: 1, mime: "text/plain" };
  const send = { connector: "http", operation: "request", input: { ...input, form: { bill: nobody } } };
  await test.publish(handOn({ method: "HEAD", url: service.url }, send));
  expect((await test.runToEnd("hand-on")).error).toMatchObject({
    code: "VALIDATION_ERROR",
    step_id: "send",
    message: expect.stringContaining(`There is no file ${nobody.file_id}`),
  });
});

it("a bot sends a file of an earlier step as a document", async () => {
  const { test, runtime, download } = await open();
  const telegram = await TelegramService.start();
  const bot = { name: "bot", connector: "telegram", settings: { baseUrl: telegram.http.url } };
  await runtime.addConnection({ ...bot, secrets: { token: botToken } });
  const input = { chat_id: 42, document: "{{get.body}}", caption: "Your bill" };
  const send = { connector: "telegram", operation: "send_document", connectionId: "bot", input };
  await test.publish(handOn(download, send));
  expect((await test.runToEnd("hand-on")).status).toBe("succeeded");
  const [call] = telegram.calls;
  expect(call?.method).toBe("sendDocument");
  expect(call?.received.body).toContain('name="chat_id"\r\n\r\n42');
  expect(call?.received.body).toContain('name="document"; filename="bill.pdf"\r\nContent-Type: application/pdf');
});

it("a file that somebody sent to a bot becomes a file of the run", async () => {
  const { test, runtime, service } = await open();
  const telegram = await TelegramService.start();
  const bot = { name: "bot", connector: "telegram", settings: { baseUrl: telegram.http.url } };
  await runtime.addConnection({ ...bot, secrets: { token: botToken } });
  await test.publish(`
name: fetch
slug: fetch
nodes:
  - { id: action_input, type: action_input }
  - { id: get, type: connector, data: { connector: telegram, operation: get_file, connectionId: bot, input: { file_id: BQ } } }
  - { id: send, type: connector, data: { connector: http, operation: request, input: { method: POST, url: "${service.url}", form: { f: "{{get.output}}" } } } }
  - { id: return_output, type: return_output, data: { properties: [{ name: file, type: object, value: "{{get.output}}" }] } }
edges: [action_input -> get, get -> send, send -> return_output]
`);
  const run = await test.runToEnd("fetch");
  expect(run.output).toMatchObject({ file: { name: "file_1.pdf", size: 16, mime: "application/octet-stream" } });
  expect(service.requests.at(-1)?.body).toContain("the file's bytes");
});

it("the command line lists a run's files and writes one out", { timeout: 60_000 }, async () => {
  const { service, download, folder } = await open();
  const egress = { allow: [service.place], allowPrivateNetworks: false };
  const daemon = await liveDaemon({ outside: { ...defaultOutside, egress } });
  const input = { method: "POST", url: service.url, form: { bill: "{{get.body}}" } };
  await daemon.publish(handOn(download, { connector: "http", operation: "request", input }));
  const run = async (...args: string[]) => stepgate(daemon.folder, args);
  const { run_id: id } = JSON.parse((await run("run", "hand-on", "--json")).stdout) as { run_id: string };
  const { files } = JSON.parse((await run("runs", "files", id, "--json")).stdout) as FileList;
  expect(files).toMatchObject([{ name: "bill.pdf", size: 6000, mime: "application/pdf" }]);
  const out = join(folder, "out.pdf");
  expect((await run("files", "get", files[0]?.file_id ?? "", "-o", out)).code).toBe(0);
  expect(readFileSync(out).equals(bytes)).toBe(true);
  expect((await run("files", "get", "nobody", "-o", out)).code).toBe(5);
});

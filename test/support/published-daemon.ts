import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { broken, faulty, greet, repeated, typed } from "../cli/workflows.ts";
import { type Ended, stepgate } from "./command-line.ts";
import { DaemonProcess } from "./daemon-process.ts";

/** A daemon with workflows published, a key, and a succeeded and a failed run; the command line speaks to it. */
export class PublishedDaemon extends DaemonProcess {
  /** Directory of the published files. */
  readonly folder = join(this.home, "flows");
  key = "";
  /** Ids of a run by the slug of its action. */
  readonly runs = { greet: "", broken: "" };

  override async start(): Promise<this> {
    await super.start();
    mkdirSync(join(this.folder, "deeper"), { recursive: true });
    for (const [name, workflow] of Object.entries({ greet, broken, repeated, "deeper/typed": typed })) {
      writeFileSync(join(this.folder, `${name}.yaml`), workflow);
    }
    writeFileSync(join(this.folder, "README.txt"), "no workflow");
    writeFileSync(join(this.home, "faulty.yaml"), faulty);
    await this.json("publish", this.folder);
    this.key = (await this.json<{ secret: string }>("keys", "mint", "--name", "everything")).secret;
    for (const slug of ["greet", "broken"] as const) {
      const { stdout } = await this.run("run", slug, "-i", "name=Ada", "--wait", "-q");
      this.runs[slug] = stdout.trim();
    }
    return this;
  }

  /** Runs a command to its end. */
  async run(...args: string[]): Promise<Ended> {
    return stepgate(this.home, args);
  }

  /** The document that a command prints; throws when it fails. */
  async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, "--json");
    if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }
}

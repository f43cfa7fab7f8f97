import { CliError } from "./cli-error.ts";

/** A person pressed Ctrl-C at a question: the exit code is that of a program which SIGINT ended (cli.md). */
export class Interrupted extends CliError {
  constructor() {
    super("usage", "Nothing was changed.", { code: "INTERRUPTED" });
    this.name = "Interrupted";
  }

  override get exitCode(): number {
    return 130;
  }
}

import { textCell, type Cell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import type { Output } from "../output.ts";
import { printListing } from "../print.ts";
import type { Check, SelfCheck } from "../wiring.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "try every part that can be missing or broken on a machine",
  examples: ["doctor", "doctor --json"],
  async action({ wiring, output, terminal }) {
    const result = await wiring.selfCheck();
    if (output.format === "table") await draw(output, result.checks, terminal.stdout);
    else await printChecks(output, result);
    return result.ok ? "ok" : "failure";
  },
});

async function printChecks(output: Output, result: SelfCheck): Promise<void> {
  await printListing(output, {
    json: result,
    rows: result.checks,
    id: (check) => check.name,
    columns: [],
    cells: ({ name, status, message, fix }): Cell[] => [name, status, message, fix].map((text) => textCell(text)),
    empty: "No checks.",
  });
}

/** Draws the checks with ink, which is loaded here alone: it costs 0.2 s. */
async function draw({ isUnicode }: Output, checks: readonly Check[], stdout: NodeJS.WriteStream): Promise<void> {
  const [{ render }, { createElement }, { DoctorView }] = await Promise.all([
    import("ink"),
    import("react"),
    import("../ui/doctor-view.tsx"),
  ]);
  const app = render(createElement(DoctorView, { checks, ascii: !isUnicode }), { stdout, patchConsole: false });
  app.unmount();
  await app.waitUntilExit();
}

import { textCell, type Cell } from "../cell.ts";
import { defineCommand } from "../command.ts";
import { examine } from "../doctor/examine.ts";
import { writeBundle } from "../doctor/write-bundle.ts";
import { flag, value } from "../option.ts";
import type { Output } from "../output.ts";
import { printListing } from "../print.ts";
import type { Check, SelfCheck } from "../wiring.ts";

export const doctor = defineCommand({
  name: "doctor",
  copesAlone: true,
  summary: "try every part that can be missing or broken on a machine",
  options: {
    fix: flag("mend what can be mended without harm, then check again"),
    bundle: value("FILE", "write what a maintainer needs into this new file; no key and no payload is in it"),
  },
  examples: ["doctor", "doctor --json", "doctor --fix", "doctor --bundle stepgate-report.json"],
  async action(context, { fix, bundle }) {
    const { output, terminal } = context;
    let findings = await examine(context);
    if (fix) {
      const broken = findings.filter(({ status, repair }) => status !== "ok" && repair);
      for (const { name, repair } of broken) {
        repair?.();
        output.note(`mended: ${name}`);
      }
      if (broken.length > 0) findings = await examine(context);
    }
    const checks = findings.map(({ repair: _repair, ...check }): Check => check);
    const result = { ok: checks.every(({ status }) => status !== "fail"), checks };
    if (output.format === "table" && !output.isAccessible) await draw(output, checks, terminal.stdout);
    else await printChecks(output, result);
    if (bundle !== undefined) {
      await writeBundle(context, bundle, checks);
      output.note(`The report is in ${bundle}; look at it before you pass it on.`);
    }
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

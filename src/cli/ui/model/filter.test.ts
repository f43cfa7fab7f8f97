import fc from "fast-check";
import { expect, it } from "vitest";
import type { WatchedRun } from "../../../contract/run-watch.ts";
import { matchesFilter, parseFilter } from "./filter.ts";

const now = new Date("2026-11-21T14:00:00.000Z");
const run: WatchedRun = {
  run_id: "019a0000-0000-7000-8000-000071be90d4",
  action_slug: "sync-crm",
  source: "webhook",
  status: "waiting_for_approval",
  duration_ms: null,
  created_at: "2026-11-21T13:30:00.000Z",
  version: 1,
  dry_run: false,
  started_at: null,
  error_code: "UPSTREAM_ERROR",
  steps_done: 1,
  steps_total: 2,
  resume_at: null,
  approval_expires_at: null,
};

it.each([
  ["", true],
  ["crm", true],
  ["71be", true],
  ["crm upstream", true],
  ["crm other", false],
  ["status:waiting", true],
  ["status:approval", true],
  ["status:needs", true],
  ["status:failed", false],
  ["slug:sync", true],
  ["slug:crm_", false],
  ["source:web", true],
  ["since:1h", true],
  ["since:10m", false],
  ["since:2026-11-21T13:00:00Z", true],
  ["since:half-typed", true],
  ["status: source:", true],
  ["STATUS:Waiting CRM", true],
  ["unknown:field", false],
])("%j on a run that waits for an approval: %s", (text, fits) => {
  expect(matchesFilter(run, parseFilter(text, now))).toBe(fits);
});

it("no text breaks the filter, and a longer one never fits more", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, more) => {
      const isFit = matchesFilter(run, parseFilter(text, now));
      if (matchesFilter(run, parseFilter(`${text} ${more.replaceAll(":", "")}`, now))) expect(isFit).toBe(true);
    }),
  );
});

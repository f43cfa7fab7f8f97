import { describe } from "vitest";
import { testAdmission } from "./suite/admission.suite.ts";
import { testBreakers } from "./suite/breakers.suite.ts";
import { testCallers } from "./suite/callers.suite.ts";
import { testChildren } from "./suite/children.suite.ts";
import { testCommits } from "./suite/commits.suite.ts";
import { testConnectors } from "./suite/connectors.suite.ts";
import { testDrafts } from "./suite/drafts.suite.ts";
import { testEvents } from "./suite/events.suite.ts";
import { testKeys } from "./suite/keys.suite.ts";
import { testListing } from "./suite/listing.suite.ts";
import { testMoments } from "./suite/moments.suite.ts";
import { testRetention } from "./suite/retention.suite.ts";
import { testPeople } from "./suite/people.suite.ts";
import { testRunLog } from "./suite/run-log.suite.ts";
import { testRuns } from "./suite/runs.suite.ts";
import { testSecrets } from "./suite/secrets.suite.ts";
import { testSealed } from "./suite/sealed.suite.ts";
import { testTriggers } from "./suite/triggers.suite.ts";
import type { OpenStore } from "./suite/use-store.ts";
import { testWorkflows } from "./suite/workflows.suite.ts";

/** The promises of `Store`, tested against an adapter; `open` gives an empty store, which the suite closes. */
export function testStore(name: string, open: OpenStore): void {
  describe(`the store on ${name}`, () => {
    describe("workspaces and keys", () => {
      testKeys(open);
    });
    describe("callers", () => {
      testCallers(open);
    });
    describe("circuit breakers", () => {
      testBreakers(open);
    });
    describe("workflows", () => {
      testWorkflows(open);
    });
    describe("built connectors", () => {
      testConnectors(open);
    });
    describe("drafts", () => {
      testDrafts(open);
    });
    describe("triggers", () => {
      testTriggers(open);
    });
    describe("events of connectors", () => {
      testEvents(open);
    });
    describe("runs", () => {
      testRuns(open);
    });
    describe("committing", () => {
      testCommits(open);
    });
    describe("children and files", () => {
      testChildren(open);
    });
    describe("admitting", () => {
      testAdmission(open);
    });
    describe("time and people", () => {
      testPeople(open);
    });
    describe("moments without a run", () => {
      testMoments(open);
    });
    describe("listing", () => {
      testListing(open);
    });
    describe("sealed originals", () => {
      testSealed(open);
    });
    describe("connections, variables and secrets", () => {
      testSecrets(open);
    });
    describe("the console of scripts", () => {
      testRunLog(open);
    });
    describe("retention", () => {
      testRetention(open);
    });
  });
}

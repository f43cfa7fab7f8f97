import { expect, it } from "vitest";
import { createOriginCheck } from "./check-origin.ts";

const local = createOriginCheck({ host: "127.0.0.1", port: 7717, baseUrl: null });
const named = createOriginCheck({ host: "0.0.0.0", port: 7717, baseUrl: "https://gate.example.org/" });
const bound = createOriginCheck({ host: "10.0.0.5", port: 80, baseUrl: null });

function isAllowed(check: typeof local, headers: Record<string, string>): boolean {
  try {
    check(new Request("http://127.0.0.1:7717/healthz", { headers }));
    return true;
  } catch {
    return false;
  }
}

const table: [name: string, check: typeof local, headers: Record<string, string>, allowed: boolean][] = [
  ["the loopback address", local, { host: "127.0.0.1:7717" }, true],
  ["localhost in any case", local, { host: "LocalHost:7717" }, true],
  ["the loopback address of IPv6", local, { host: "[::1]:7717" }, true],
  ["no Host but a loopback URL", local, {}, true],
  ["another port", local, { host: "127.0.0.1:7718" }, false],
  ["no port", local, { host: "localhost" }, false],
  ["a name that was made to point here", local, { host: "attacker.example:7717" }, false],
  ["a name that begins like a good one", local, { host: "localhost.attacker.example:7717" }, false],
  ["a name that ends like a good one", local, { host: "notlocalhost:7717" }, false],
  ["a user part before the name", local, { host: "localhost:7717@attacker.example" }, false],
  ["an empty Host", local, { host: "" }, false],
  ["the daemon's own origin", local, { host: "localhost:7717", origin: "http://localhost:7717" }, true],
  ["a foreign origin", local, { host: "localhost:7717", origin: "https://attacker.example" }, false],
  [
    "an origin of another port of this machine",
    local,
    { host: "localhost:7717", origin: "http://localhost:3000" },
    false,
  ],
  ["the origin of a sandboxed page", local, { host: "localhost:7717", origin: "null" }, false],
  ["an origin of another scheme", local, { host: "localhost:7717", origin: "https://localhost:7717" }, false],
  ["a request that another site caused", local, { host: "localhost:7717", "sec-fetch-site": "cross-site" }, false],
  ["a request of the same origin", local, { host: "localhost:7717", "sec-fetch-site": "same-origin" }, true],
  ["the configured address", named, { host: "gate.example.org", origin: "https://gate.example.org" }, true],
  ["loopback beside a configured address", named, { host: "127.0.0.1:7717" }, true],
  ["the wildcard that the daemon is bound to", named, { host: "0.0.0.0:7717" }, false],
  ["the address that the daemon is bound to", bound, { host: "10.0.0.5:80" }, true],
  ["another address", bound, { host: "10.0.0.6:80" }, false],
];

it.each(table)("judges %s", (_, check, headers, allowed) => {
  expect(isAllowed(check, headers)).toBe(allowed);
});

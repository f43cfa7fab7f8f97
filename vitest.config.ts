import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Workers and the processes that tests start load hundreds of modules each; compiled ones load in half the time. The
// same place as in bin/stepgate.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/stepgate", import.meta.url));

const tests = ["src/**/*.test.ts", "src/**/*.test.tsx", "test/**/*.test.ts"];

/** Tests that change the process they run in, each file in one of its own; these come first, and so does the longest. */
const apart = [
  "src/daemon/give-back-memory.test.ts",
  "test/outside/egress.test.ts",
  "test/sandbox/payloads.test.ts",
  "test/time/notify.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: "test/support/temporary-root.ts",
    pool: "forks",
    // By itself vitest leaves one processor free, and of two that is half.
    maxWorkers: availableParallelism(),
    // A machine that others use as well must not fail what works; here every failure shows at once.
    retry: process.env["CI"] ? 2 : 0,
    // Far above what any test takes on a quiet machine: a busy one must not fail what works.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // The modules under test keep nothing, so a worker loads them once: for each file it takes longer than its tests.
        test: { name: "shared", include: tests, exclude: apart, isolate: false },
      },
      { extends: true, test: { name: "apart", include: apart } },
    ],
  },
});

import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Workers and the processes that tests start load hundreds of modules each; compiled ones load in half the time. The
// same place as in bin/stepgate.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/stepgate", import.meta.url));

/** Tests that end processes, set the environment a module reads, or fill a heap: each file in a process of its own. */
const apart = ["src/daemon/**", "src/store/**"];

export default defineConfig({
  test: {
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
        // The modules under test keep nothing: a worker loads them once, which is three quarters of these tests' time.
        test: { name: "units", include: ["src/**/*.test.ts", "src/**/*.test.tsx"], exclude: apart, isolate: false },
      },
      {
        extends: true,
        test: { name: "system", include: ["src/{daemon,store}/**/*.test.ts", "test/**/*.test.ts"] },
      },
    ],
  },
});

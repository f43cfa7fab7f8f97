import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx", "test/**/*.test.ts"],
    pool: "forks",
    // Far above what any test takes on a quiet machine: a busy one must not fail what works.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

// Lets a checkout run its .tsx sources: Node strips types by itself but knows no JSX. The binary has none to load.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";

/** esbuild, loaded with the first .tsx file (70 ms) so that a command without a user interface does not pay for it. */
let esbuild;

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    esbuild ??= createRequire(import.meta.url)("esbuild");
    const options = { loader: "tsx", jsx: "automatic", sourcemap: "inline", sourcefile: url };
    const { code } = esbuild.transformSync(readFileSync(new URL(url), "utf8"), options);
    return { format: "module", source: code, shortCircuit: true };
  },
});

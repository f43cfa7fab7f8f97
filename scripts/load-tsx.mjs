// Lets a checkout run its .tsx sources: Node strips types by itself but knows no JSX. The binary has none to load.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";

/** esbuild, loaded with the first .tsx file (70 ms) so that a command without a user interface does not pay for it. */
let esbuild;

registerHooks({
  resolve(specifier, context, next) {
    // For the format of each file Node parses all of package.json, and drizzle's 180 kB for a hundred files take as long
    // as the rest of a daemon's start.
    const isDrizzle = specifier.startsWith(".") && context.parentURL?.includes("/node_modules/drizzle-orm/");
    if (!isDrizzle || !specifier.endsWith(".js")) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    esbuild ??= createRequire(import.meta.url)("esbuild");
    const options = { loader: "tsx", jsx: "automatic", sourcemap: "inline", sourcefile: url };
    const { code } = esbuild.transformSync(readFileSync(new URL(url), "utf8"), options);
    return { format: "module", source: code, shortCircuit: true };
  },
});

import type { World } from "../../engine/world.ts";
import type { Log } from "../log.ts";
import { type Tracing, createTracing } from "./tracing.ts";

/** Traces to a collector. What speaks its protocol is loaded here, so that a daemon without traces never does. */
export async function startTracing(
  endpoint: string,
  version: string,
  log: Log,
  world: Pick<World, "now">,
): Promise<Tracing> {
  const { createOtlpSink } = await import("./otlp-sink.ts");
  return createTracing(createOtlpSink(endpoint, version, log), world);
}

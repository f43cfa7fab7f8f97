import type { Hono } from "hono";
import { type Breaker, resetRequest } from "../../contract/breaker.ts";
import type { BreakerView } from "../../engine/calls/breakers.ts";
import type { Services } from "../../engine/services.ts";
import type { HttpEnv } from "../http/serve-operations.ts";
import type { ControlRoute } from "./control-route.ts";

/** Looking at circuit breakers and closing them (contract 5). */
export function serveBreakers(
  app: Hono<HttpEnv>,
  { breakers }: Pick<Services, "breakers">,
  { workspaceOf, bodyOf, answer }: ControlRoute,
): void {
  app.get("/control/breakers", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    return answer({ breakers: (await breakers.list(id)).map(present) });
  });
  app.post("/control/breakers/reset", async ({ req }) => {
    const { id } = await workspaceOf(req.raw);
    const { connector, connection_id: connectionId } = await bodyOf(req.raw, resetRequest.strict());
    const filter = {
      ...(connector !== undefined && { connector }),
      ...(connectionId !== undefined && { connectionId }),
    };
    return answer({ breakers: (await breakers.reset(id, filter)).map(present) });
  });
}

function present({ connector, connectionId, target, status, failures, openedAt, trialAt }: BreakerView): Breaker {
  const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  const place = { connector, connection_id: connectionId, target };
  return { ...place, status, failures, opened_at: time(openedAt), trial_at: time(trialAt) };
}

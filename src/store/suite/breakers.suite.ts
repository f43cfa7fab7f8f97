import { expect, test } from "vitest";
import type { BreakerRecord } from "../store.ts";
import { type OpenStore, useStore } from "./use-store.ts";

const place = { workspaceId: 1, connector: "http", connectionId: null, target: "example.com" };

export function testBreakers(open: OpenStore): void {
  const store = useStore(open);

  test("what a breaker remembers is replaced, and is gone once there is nothing left of it", async () => {
    const failing: BreakerRecord = { ...place, state: { failures: [1, 2], opening: null } };
    const opened: BreakerRecord = { ...place, state: { failures: [], opening: { at: 5, times: 2 } } };
    await store().saveBreaker(failing);
    expect(await store().listBreakers()).toEqual([failing]);
    await store().saveBreaker(opened);
    expect(await store().listBreakers()).toEqual([opened]);
    await store().saveBreaker({ ...place, state: null });
    expect(await store().listBreakers()).toEqual([]);
  });

  test("breakers of other connections, hosts and workspaces are others", async () => {
    const other = await store().createWorkspace({ name: "other", tier: "free", at: 0 });
    const state = { failures: [1], opening: null };
    const records: BreakerRecord[] = [
      { ...place, state },
      { ...place, target: "example.org", state },
      { ...place, target: null, connectionId: "a", state },
      { ...place, workspaceId: other?.id ?? 0, state },
    ];
    for (const record of records) await store().saveBreaker(record);
    await store().saveBreaker({ ...place, target: null, connectionId: "b", state: null });
    expect(new Set(await store().listBreakers())).toEqual(new Set(records));
  });
}

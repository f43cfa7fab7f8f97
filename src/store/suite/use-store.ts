import { afterEach, beforeEach } from "vitest";
import type { Store } from "../store.ts";

export type OpenStore = () => Promise<Store>;

/** Opens a fresh store before each test and closes it afterwards. */
export function useStore(open: OpenStore): () => Store {
  let store: Store | undefined;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store?.close();
  });
  return () => {
    if (!store) throw new Error("A store is there only while a test runs");
    return store;
  };
}

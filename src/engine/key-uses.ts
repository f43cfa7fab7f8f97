import type { KeyStore } from "../store/store.ts";

/** The last uses of keys, held in memory until they are written together: a use must not cost a commit (contract 9). */
export type KeyUses = { note(keyId: string, at: number): void; flush(): Promise<void> };

export function createKeyUses(store: Pick<KeyStore, "touchKeys">): KeyUses {
  let uses = new Map<string, number>();
  return {
    note: (keyId, at) => void uses.set(keyId, at),
    async flush() {
      if (uses.size === 0) return;
      const noted = uses;
      uses = new Map();
      try {
        await store.touchKeys([...noted].map(([id, at]) => ({ id, at })));
      } catch (error) {
        // Kept for the next time; a use that was noted meanwhile is newer.
        uses = new Map([...noted, ...uses]);
        throw error;
      }
    },
  };
}

import { ApiError } from "../contract/errors.ts";
import type { Store } from "../store/store.ts";
import type { Cipher } from "./redaction/cipher.ts";
import { type KnownSecrets, knownSecrets, mergeKnown } from "./redaction/known-secrets.ts";
import { requireOpened } from "./sealed-value.ts";
import type { Services } from "./services.ts";
import { type KeptValues, noValues, openValues, secretsIn } from "./kept-values.ts";
import { type NamedValues, MissingSecretError } from "./templates/named-values.ts";
import { compileTemplate } from "./templates/template.ts";

/**
 * Credentials, secrets and variables of all workspaces, opened, in memory: redaction asks for them on the hot path, and
 * the daemon is the only writer. Whoever writes calls `refresh` before it answers.
 */
export type WorkspaceValues = {
  /** Reads everything; before it nothing is known. Returns what can't be opened, in words for the log. */
  load(): Promise<string[]>;
  /** Reads a workspace again after a write. */
  refresh(workspaceId: number): Promise<void>;
  /** As they are now. */
  of(workspaceId: number): KeptValues;
  /** What templates read, at each call as it then is. */
  named(workspaceId: number): NamedValues;
  /** What redaction looks for in the workspace's payloads; null when there is nothing, or no workspace. */
  known(workspaceId: number): KnownSecrets | null;
  /** Of all workspaces, for logs. */
  knownAnywhere(): KnownSecrets | null;
};

/** Values that were replaced or removed and are hidden still, since runs in flight may carry them; the oldest go first. */
const maxRetired = 1000;

type Workspace = { values: KeptValues; known: KnownSecrets | null; retired: Set<string> };

export function createWorkspaceValues(store: Store, cipher: Cipher): WorkspaceValues {
  const workspaces = new Map<number, Workspace>();
  let anywhere: KnownSecrets | null = null;

  function keep(workspaceId: number, values: KeptValues): void {
    const before = workspaces.get(workspaceId);
    const now = secretsIn(values);
    const current = new Set([...now.secrets, ...now.workspaceSecrets]);
    const replaced = before ? Object.values(secretsIn(before.values)).flat() : [];
    const old = [...(before?.retired ?? []), ...replaced].filter((value) => !current.has(value));
    const retired = new Set(old.slice(-maxRetired));
    const known = knownSecrets({ secrets: [...now.secrets, ...retired], workspaceSecrets: now.workspaceSecrets });
    workspaces.set(workspaceId, { values, known, retired });
    anywhere = mergeKnown([...workspaces.values()].map((workspace) => workspace.known));
  }

  const of = (workspaceId: number): KeptValues => workspaces.get(workspaceId)?.values ?? noValues;
  return {
    async load() {
      const all = await openValues(store, cipher, null);
      for (const [workspaceId, values] of all) keep(workspaceId, values);
      return [...all.values()].flatMap(({ problems }) => problems);
    },
    async refresh(workspaceId) {
      const found = await openValues(store, cipher, workspaceId);
      keep(workspaceId, found.get(workspaceId) ?? noValues);
    },
    of,
    named: (workspaceId) => ({
      readVariable: (name) => of(workspaceId).variables.get(name),
      readSecret(name) {
        const { secrets } = of(workspaceId);
        const secret = secrets.get(name);
        if (!secret) throw new MissingSecretError(name, secrets.keys());
        return requireOpened(secret, `the secret ${name}`);
      },
    }),
    known: (workspaceId) => workspaces.get(workspaceId)?.known ?? null,
    knownAnywhere: () => anywhere,
  };
}

/**
 * A text of a definition outside of any run, such as a webhook's `secret: "{{secret.NAME}}"`: its `var` and `secret` are
 * resolved as they are now, other roots are missing. Throws MissingSecretError and SealedValueError, which whoever asks
 * must not take for "no secret", and BAD_REQUEST for a malformed template.
 */
export function resolveSecretTemplate({ values }: Pick<Services, "values">, workspaceId: number, text: string): string {
  const template = compileTemplate(text);
  if ("problems" in template) throw new ApiError("BAD_REQUEST", `Malformed template: ${template.problems[0]?.message}`);
  const named = values.named(workspaceId);
  const resolved = template.resolve({
    read(root, [name, ...rest]) {
      if (name === undefined || rest.length > 0) return undefined;
      if (root === "secret") return named.readSecret(String(name));
      return root === "var" ? named.readVariable(String(name)) : undefined;
    },
  });
  return typeof resolved === "string" ? resolved : "";
}

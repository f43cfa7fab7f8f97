import { originsOf } from "../../connectors/manifest/base-address.ts";
import { errorAt, warningAt } from "../../connectors/manifest/build-issue.ts";
import { ApiError } from "../../contract/errors.ts";
import type { BuildRequest, ManifestHead } from "../../contract/manifest.ts";
import type { ConnectorBuilds } from "../../engine/connector-builds.ts";
import type { Connector } from "../../engine/connector.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import type { Services } from "../../engine/services.ts";
import type { BuildRecord, BuildSource } from "../../store/store.ts";
import type { BuildResult } from "./build-thread.ts";
import type { BuiltConnectors } from "./built-connectors.ts";
import { runBuild } from "./run-build.ts";

export type BuilderParts = Pick<Services, "store" | "world" | "values"> & {
  bundled: readonly Connector[];
  built: BuiltConnectors;
  onError(error: unknown, buildId: string | null): void;
};

export type ConnectorBuilder = ConnectorBuilds & {
  /** Takes up what was queued or running when the last daemon ended. */
  open(): void;
  /** Ends the build under way; it runs again at the next start. */
  stop(): Promise<void>;
};

/** Builds that may wait in all, and checks. */
const maxWaiting = 32;
/** A build that took the daemon down so often is given up. */
const maxAttempts = 3;

type Place = Pick<BuildRecord, "id" | "workspaceId" | "slug">;

/** Builds one connector after the other; the store is the queue, so that a crash loses none (contract 13). */
export function createConnectorBuilder(parts: BuilderParts): ConnectorBuilder {
  const { store, world, values, bundled, built, onError } = parts;
  const ending = new AbortController();
  const bundledSlugs = new Set(bundled.map(({ slug }) => slug));
  let loop: Promise<void> | null = null;
  let checks: Promise<unknown> = Promise.resolve();
  let waitingChecks = 0;

  function wake(): void {
    if (loop || ending.signal.aborted) return;
    const started = buildAll().catch((error: unknown) => onError(error, null));
    loop = started.finally(() => (loop = null));
  }

  async function buildAll(): Promise<void> {
    for (;;) {
      const [next] = await store.listOpenBuilds();
      if (!next || ending.signal.aborted) return;
      await buildOne(next);
    }
  }

  async function buildOne(place: Place): Promise<void> {
    const attempts = await store.startBuild({ id: place.id });
    const source = await store.readBuildSource(place.id);
    if (attempts === 0) return;
    const result = await makeResult(place, source, attempts);
    if (result && !ending.signal.aborted) await finish(place, refuseBundled(result));
  }

  /** Null when the daemon stops meanwhile. */
  async function makeResult(place: Place, source: BuildSource | null, attempts: number): Promise<BuildResult | null> {
    if (!source) return giveUp(place, "The build's source is gone");
    if (attempts > maxAttempts) return giveUp(place, `The daemon ended ${maxAttempts} times while it built this`);
    try {
      const request = JSON.parse(source.request) as BuildRequest;
      return await runBuild({ request, bytes: source.bytes }, ending.signal);
    } catch (error) {
      if (ending.signal.aborted) return null;
      onError(error, place.id);
      return giveUp(place, "Building failed; the daemon's log says why");
    }
  }

  function refuseBundled(result: BuildResult): BuildResult {
    if (result.slug === null || !bundledSlugs.has(result.slug)) return result;
    return {
      ...result,
      connector: null,
      issues: [...result.issues, errorAt("/slug", "slug_taken", taken(result.slug))],
    };
  }

  async function finish({ id, workspaceId }: Place, { slug, issues, connector }: BuildResult): Promise<void> {
    const told = [...issues];
    if (connector) {
      const detached = await detach(workspaceId, connector.slug, JSON.parse(connector.head) as ManifestHead);
      if (detached.length > 0) told.push(warningAt("/baseUrl", "connections_detached", tellDetached(detached)));
    }
    const at = world.now().getTime();
    await store.finishBuild({ id, workspaceId, slug, issues: told, connector, at });
    if (connector) built.forget(workspaceId, connector.slug);
  }

  /** Credentials were given for the hosts as they were: with others, they stay at home until a person confirms. */
  async function detach(workspaceId: number, slug: string, head: ManifestHead): Promise<string[]> {
    const before = await store.findConnector(workspaceId, slug);
    const origins = before ? originsOf(JSON.parse(before.head) as ManifestHead) : [];
    if (origins.join(" ") === originsOf(head).join(" ")) return [];
    const all = await store.listConnections(workspaceId);
    const concerned = all.filter(({ connector, status }) => connector === slug && status !== "detached");
    const at = world.now().getTime();
    for (const { id } of concerned) await store.updateConnection({ workspaceId, id, status: "detached", at });
    if (concerned.length > 0) await values.refresh(workspaceId);
    return concerned.map(({ name }) => name);
  }

  return {
    bundled,
    async submit(workspaceId, request, bytes) {
      if (request.slug !== null && bundledSlugs.has(request.slug))
        throw new ApiError("SLUG_TAKEN", taken(request.slug));
      const open = await store.listOpenBuilds();
      if (open.length >= maxWaiting) throw tooMany();
      const id = world.newId();
      const source = { request: JSON.stringify(request), bytes };
      await store.createBuild({ id, workspaceId, slug: request.slug, source, at: world.now().getTime() });
      wake();
      const record = await store.findBuild(workspaceId, id);
      if (!record) throw new Error(`The build ${id} was not stored`);
      return record;
    },
    async check(request, bytes) {
      if (waitingChecks >= maxWaiting) throw tooMany();
      waitingChecks += 1;
      const checked = checks.then(async () => runBuild({ request, bytes }, ending.signal));
      checks = checked.catch(() => undefined);
      try {
        return refuseBundled(await checked).issues;
      } finally {
        waitingChecks -= 1;
      }
    },
    async remove(workspaceId, slug) {
      const connections = (await store.listConnections(workspaceId)).filter(({ connector }) => connector === slug);
      if (bundledSlugs.has(slug)) throw new ApiError("BAD_REQUEST", `${slug} is bundled and stays`);
      if (connections.length > 0) {
        const names = connections.map(({ name }) => name).slice(0, 10);
        throw new ApiError("CONFLICT", `${slug} has connections: remove them first (${names.join(", ")})`);
      }
      if (await store.removeConnector({ workspaceId, slug })) return built.forget(workspaceId, slug);
      const slugs = (await store.listConnectors(workspaceId)).map((one) => one.slug);
      const message = `There is no built connector ${slug.slice(0, 100)}${didYouMean(slug, slugs)}`;
      throw new ApiError("CONNECTOR_NOT_FOUND", message);
    },
    open: wake,
    async stop() {
      ending.abort(new Error("The daemon stops"));
      await loop;
      await checks;
    },
  };
}

function giveUp({ slug }: Place, message: string): BuildResult {
  return { slug, issues: [errorAt("", "build_failed", message)], connector: null };
}

function taken(slug: string): string {
  return `${slug} is the slug of a bundled connector; choose another one`;
}

function tooMany(): ApiError {
  return new ApiError("OVERLOADED", "Too many connectors are being built; try again soon", { retryAfterSeconds: 5 });
}

function tellDetached(names: readonly string[]): string {
  const which = names.length === 1 ? `The connection ${names[0]} was` : `The connections ${names.join(", ")} were`;
  return (
    `${which} detached, since calls would go to another host now; ` +
    `a person confirms with \`stepgate connections update ${names[0] ?? "NAME"} --attach\``
  );
}

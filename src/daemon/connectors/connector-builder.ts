import { originsOf } from "../../connectors/manifest/base-address.ts";
import { errorAt, warningAt } from "../../connectors/manifest/build-issue.ts";
import { ApiError } from "../../contract/errors.ts";
import type { BuildIssue, BuildRequest, ManifestHead } from "../../contract/manifest.ts";
import type { ConnectorBuilds } from "../../engine/connector-builds.ts";
import type { Connector } from "../../engine/connector.ts";
import { didYouMean } from "../../engine/definition/nearest-name.ts";
import type { Services } from "../../engine/services.ts";
import type { BuildRecord, BuildSource } from "../../store/store.ts";
import type { BuildResult } from "./build-thread.ts";
import type { BuiltConnectors } from "./built-connectors.ts";
import { createBuildRunner } from "./build-runner.ts";

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
  return new Builder(parts);
}

class Builder implements ConnectorBuilder {
  readonly bundled: readonly Connector[];
  readonly #parts: BuilderParts;
  readonly #bundledSlugs: ReadonlySet<string>;
  readonly #runner = createBuildRunner();
  #loop: Promise<void> | null = null;
  #waitingChecks = 0;
  #isEnding = false;

  constructor(parts: BuilderParts) {
    this.#parts = parts;
    this.bundled = parts.bundled;
    this.#bundledSlugs = new Set(parts.bundled.map(({ slug }) => slug));
  }

  open(): void {
    if (this.#loop || this.#isEnding) return;
    const started = this.#buildAll().catch((error: unknown) => this.#parts.onError(error, null));
    this.#loop = started.finally(() => (this.#loop = null));
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#runner.stop();
    await this.#loop;
  }

  async submit(workspaceId: number, request: BuildRequest, bytes: Uint8Array): Promise<BuildRecord> {
    const { store, world } = this.#parts;
    const { slug } = request;
    if (slug !== null && this.#bundledSlugs.has(slug)) throw new ApiError("SLUG_TAKEN", taken(slug));
    const open = await store.listOpenBuilds();
    if (open.length >= maxWaiting) throw tooMany();
    const id = world.newId();
    const source = { request: JSON.stringify(request), bytes };
    await store.createBuild({ id, workspaceId, slug, source, at: world.now().getTime() });
    this.open();
    const record = await store.findBuild(workspaceId, id);
    if (!record) throw new Error(`The build ${id} was not stored`);
    return record;
  }

  async check(request: BuildRequest, bytes: Uint8Array): Promise<BuildIssue[]> {
    if (this.#waitingChecks >= maxWaiting) throw tooMany();
    this.#waitingChecks += 1;
    try {
      return this.#refuseBundled(await this.#runner.run({ request, bytes })).issues;
    } finally {
      this.#waitingChecks -= 1;
    }
  }

  async remove(workspaceId: number, slug: string): Promise<void> {
    const { store, built } = this.#parts;
    if (this.#bundledSlugs.has(slug)) throw new ApiError("BAD_REQUEST", `${slug} is bundled and stays`);
    const connections = (await store.listConnections(workspaceId)).filter(({ connector }) => connector === slug);
    if (connections.length > 0) {
      const names = connections.map(({ name }) => name).slice(0, 10);
      throw new ApiError("CONFLICT", `${slug} has connections: remove them first (${names.join(", ")})`);
    }
    if (await store.removeConnector({ workspaceId, slug })) return built.forget(workspaceId, slug);
    const slugs = (await store.listConnectors(workspaceId)).map((one) => one.slug);
    const message = `There is no built connector ${slug.slice(0, 100)}${didYouMean(slug, slugs)}`;
    throw new ApiError("CONNECTOR_NOT_FOUND", message);
  }

  async #buildAll(): Promise<void> {
    for (;;) {
      const [next] = await this.#parts.store.listOpenBuilds();
      if (!next || this.#isEnding) return;
      await this.#buildOne(next);
    }
  }

  async #buildOne(place: Place): Promise<void> {
    const { store } = this.#parts;
    const attempts = await store.startBuild({ id: place.id });
    if (attempts === 0) return;
    const source = await store.readBuildSource(place.id);
    const result = await this.#makeResult(place, source, attempts);
    if (result && !this.#isEnding) await this.#finish(place, this.#refuseBundled(result));
  }

  /** Null when the daemon stops meanwhile. */
  async #makeResult(place: Place, source: BuildSource | null, attempts: number): Promise<BuildResult | null> {
    if (!source) return giveUp(place, "The build's source is gone");
    if (attempts > maxAttempts) return giveUp(place, `The daemon ended ${maxAttempts} times while it built this`);
    try {
      return await this.#runner.run({ request: JSON.parse(source.request) as BuildRequest, bytes: source.bytes });
    } catch (error) {
      if (this.#isEnding) return null;
      this.#parts.onError(error, place.id);
      return giveUp(place, "Building failed; the daemon's log says why");
    }
  }

  #refuseBundled(result: BuildResult): BuildResult {
    const { slug, issues } = result;
    if (slug === null || !this.#bundledSlugs.has(slug)) return result;
    return { ...result, connector: null, issues: [...issues, errorAt("/slug", "slug_taken", taken(slug))] };
  }

  async #finish({ id, workspaceId }: Place, { slug, issues, connector }: BuildResult): Promise<void> {
    const { store, world, built } = this.#parts;
    const told = [...issues];
    if (connector) {
      const detached = await this.#detach(workspaceId, connector.slug, JSON.parse(connector.head) as ManifestHead);
      if (detached.length > 0) told.push(warningAt("/baseUrl", "connections_detached", tellDetached(detached)));
    }
    const at = world.now().getTime();
    await store.finishBuild({ id, workspaceId, slug, issues: told, connector, at });
    if (connector) built.forget(workspaceId, connector.slug);
  }

  /** Credentials were given for the hosts as they were: with others, they stay at home until a person confirms. */
  async #detach(workspaceId: number, slug: string, head: ManifestHead): Promise<string[]> {
    const { store, world, values } = this.#parts;
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

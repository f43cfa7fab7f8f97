import { ApiError } from "../contract/errors.ts";
import type { NamedSecret, NamedVariable } from "../contract/named-value.ts";
import { didYouMean } from "./definition/nearest-name.ts";
import { isoTime } from "./presentation/present-time.ts";
import { owners, sealValue } from "./sealed-value.ts";
import type { Services } from "./services.ts";

/** A workspace's variables and secrets, which templates read as `{{var.NAME}}` and `{{secret.NAME}}` (contract 3). */

type Writer = Pick<Services, "store" | "values" | "cipher" | "world">;

export async function listVariables({ store }: Writer, workspaceId: number): Promise<NamedVariable[]> {
  const variables = await store.listVariables(workspaceId);
  return variables.map(({ name, value, ...times }) => ({ name, value, ...presentTimes(times) }));
}

/** Sets a variable, over an earlier one; the next step that is resolved reads it. */
export async function setVariable(
  services: Writer,
  workspaceId: number,
  name: string,
  value: string,
): Promise<NamedVariable> {
  await services.store.setVariable({ workspaceId, name, value, at: services.world.now().getTime() });
  await services.values.refresh(workspaceId);
  return named(await listVariables(services, workspaceId), name, "variable");
}

/** Removes a variable; it as it was. Throws NOT_FOUND. */
export async function removeVariable(services: Writer, workspaceId: number, name: string): Promise<NamedVariable> {
  const variable = named(await listVariables(services, workspaceId), name, "variable");
  await services.store.removeVariable({ workspaceId, name });
  await services.values.refresh(workspaceId);
  return variable;
}

/** Names and times alone. */
export async function listSecrets({ store }: Writer, workspaceId: number): Promise<NamedSecret[]> {
  const secrets = await store.listSecrets(workspaceId);
  return secrets.map(({ name, createdAt, updatedAt }) => ({ name, ...presentTimes({ createdAt, updatedAt }) }));
}

/** Sets a secret, sealed, over an earlier one; the next call uses it. */
export async function setSecret(
  services: Writer,
  workspaceId: number,
  name: string,
  secret: string,
): Promise<NamedSecret> {
  const { store, world, cipher, values } = services;
  const value = sealValue(cipher, owners.secret(workspaceId, name), secret);
  await store.setSecret({ workspaceId, name, value, at: world.now().getTime() });
  await values.refresh(workspaceId);
  return named(await listSecrets(services, workspaceId), name, "secret");
}

/** Removes a secret; its name and times. Throws NOT_FOUND. */
export async function removeSecret(services: Writer, workspaceId: number, name: string): Promise<NamedSecret> {
  const secret = named(await listSecrets(services, workspaceId), name, "secret");
  await services.store.removeSecret({ workspaceId, name });
  await services.values.refresh(workspaceId);
  return secret;
}

function named<Value extends { name: string }>(values: readonly Value[], name: string, what: string): Value {
  const value = values.find((each) => each.name === name);
  if (value) return value;
  const known = values.map((each) => each.name);
  throw new ApiError("NOT_FOUND", `There is no ${what} ${name.slice(0, 100)}${didYouMean(name, known)}`);
}

function presentTimes({ createdAt, updatedAt }: { createdAt: number; updatedAt: number }) {
  return { created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) };
}

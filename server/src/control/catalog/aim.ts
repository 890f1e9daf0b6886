/**
 * Connect wizard: decides which upstream is meant and which credential to use. Writes nothing and uses no
 * network.
 */

import type { AimDocument } from "@plaza/contract/api/catalog.ts";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { type FieldFault, GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { type Environment, processEnvironment } from "../../config/config.ts";
import { type Aim, addressesOf, aimAt, findSame, isAt, suggestId } from "../../connect/aim.ts";
import { ConnectFailure } from "../../connect/failure.ts";
import { readEditedUpstream } from "../../domain/catalog/file/edited.ts";
import { catalogProviderOf } from "../../providers/presets/priced-at.ts";
import type { CatalogEditStore, ShownCatalog } from "../../store/catalog/edit.ts";
import { StoreError } from "../../store/error.ts";
import { known } from "./edit.ts";
import { refuseFields } from "./outcomes.ts";

/** An existing or new upstream with its credentials. */
export interface Meant {
  readonly upstream: Upstream;
  readonly isThere: boolean;
  /** URLs where its list may be, most likely first. */
  readonly baseUrls: readonly string[];
  /** Its name within a sentence. */
  readonly name: string;
}

/** A connection failure as the console shows it: one sentence at its field. */
export function refuseConnection(failure: ConnectFailure): never {
  const refusal = message("form.sentence", { text: failure.messageRef });
  const path = failure.field ?? (failure.code.startsWith("credential_") ? "credential" : undefined);
  throw new GatewayError("invalid_request", {
    message: refusal,
    ...(path === undefined ? {} : { param: path, fields: [{ path, message: refusal }] }),
  });
}

/** Maps an upstream's fields to those of the wizard's form. */
function wizardField({ path, ...fault }: FieldFault): FieldFault {
  return { path: path.replace(/^credentials(?:\.\d+)?$/, "credential"), ...fault };
}

/** True for the service's own address, the only one its key is sent to. */
function isOwnAddress(aim: Aim, baseUrl: string): boolean {
  if (isAt(aim)) return true;
  const shelf = baseUrl.startsWith("https://") ? catalogProviderOf(baseUrl) : undefined;
  return shelf === aim.target.id;
}

/** The credential of an offer. Only variables of services are read, each only for its own service. */
function fromEnvironment(variable: string, aim: Aim, env: Environment): string {
  const text = env[variable]?.trim() ?? "";
  const baseUrl = aim.baseUrl ?? aim.target.baseUrl ?? "";
  const path = "useEnvironment";
  if (!aim.target.keyVariables.includes(variable) || !isOwnAddress(aim, baseUrl))
    refuseFields([{ path, message: message("catalog.variableNotOwn", { service: aim.target.name }) }]);
  if (text === "") refuseFields([{ path, message: message("catalog.variableUnset", { variable }) }]);
  return text;
}

function credentialsOf(
  { credential, useEnvironment }: Pick<AimDocument, "credential" | "useEnvironment">,
  aim: Aim,
  env: Environment,
): readonly string[] {
  const given = credential?.trim() ?? "";
  if (given !== "") return [given];
  if (useEnvironment !== null) return [fromEnvironment(useEnvironment, aim, env)];
  if (!aim.target.needsKey) return [];
  return refuseFields([
    { path: "credential", message: message("catalog.credentialNeeded", { service: asName(aim) }) },
  ]);
}

const asName = ({ target: { name } }: Aim): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** An upstream of the catalog, with its stored credentials unless another one is given. */
export async function meantThere(
  store: CatalogEditStore,
  id: string,
  credential: string | null,
): Promise<Meant> {
  let upstream: Upstream | undefined;
  try {
    upstream = await store.openUpstream(id);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "unreadable_credentials") throw error;
    refuseFields([{ path: "upstreamId", message: message("catalog.credentialsUnreadable") }]);
  }
  if (upstream === undefined)
    throw new GatewayError("not_found", { message: message("catalog.upstreamUnknown", { id }) });
  const given = credential?.trim() ?? "";
  return {
    upstream: given === "" ? upstream : { ...upstream, credentials: [given] },
    isThere: true,
    baseUrls: [upstream.baseUrl],
    name: `upstream ${id}`,
  };
}

function upstreamFor(
  body: AimDocument,
  id: string | null,
  catalog: ShownCatalog,
  env: Environment,
): { readonly upstream: Upstream; readonly aim: Aim | undefined } {
  const upstreams = catalog.upstreams.map((one) => ({ ...one, credentials: [], headers: undefined }));
  // The demo has no address and no key.
  const isDemo = body.service === "demo";
  const aim = isDemo
    ? undefined
    : aimAt(body.service ?? undefined, body.baseUrl?.trim() || undefined, body.options);
  const suggested = aim === undefined ? freeId("demo", upstreams) : suggestId(aim, upstreams);
  const form = {
    id: id ?? suggested,
    provider: aim?.target.provider.id ?? "demo",
    preset: aim?.target.preset?.id ?? null,
    baseUrl: aim?.baseUrl ?? aim?.target.baseUrl ?? null,
    options: body.options,
    headers: body.headers,
    credentials: aim === undefined ? [] : credentialsOf(body, aim, env),
    timeouts: {},
    concurrency: null,
    queue: null,
    affinity: "key",
    onDisconnect: "stop",
  } as const;
  const read = readEditedUpstream(form, 0, known);
  if (!read.ok) return refuseFields(read.faults.map(wizardField));
  return { upstream: read.value, aim };
}

function freeId(plain: string, upstreams: readonly { readonly id: string }[]): string {
  const taken = new Set(upstreams.map(({ id }) => id));
  let id = plain;
  for (let number = 2; taken.has(id); number += 1) id = `${plain}-${number}`;
  return id;
}

/** The upstream the form means. `id`: id of a new upstream; null: the suggested one. */
export async function meantBy(
  store: CatalogEditStore,
  body: AimDocument,
  id: string | null,
  env: Environment = processEnvironment(),
): Promise<Meant & { readonly catalog: ShownCatalog; readonly sameAs: string | null }> {
  const catalog = await store.showCatalog();
  if (body.upstreamId !== null) {
    const meant = await meantThere(store, body.upstreamId, body.credential);
    return { ...meant, catalog, sameAs: null };
  }
  try {
    const { upstream, aim } = upstreamFor(body, id, catalog, env);
    const all = catalog.upstreams.map((one) => ({ ...one, credentials: [], headers: undefined }));
    const same = aim === undefined ? undefined : findSame(aim, body.options, all);
    return {
      upstream,
      isThere: false,
      baseUrls: aim?.baseUrl === undefined ? [upstream.baseUrl] : addressesOf(aim, upstream.baseUrl),
      name: aim?.target.name ?? "the demo",
      catalog,
      sameAs: same?.id ?? null,
    };
  } catch (error) {
    if (error instanceof ConnectFailure) return refuseConnection(error);
    throw error;
  }
}

/**
 * Handlers of `contract/api/keys.ts`. An owner sees and changes every key of the account, a member only their
 * own.
 */

import type { keysRoutes } from "@plaza/contract/api/keys.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { createApiKey, digestApiKey } from "../../domain/keys/api-key.ts";
import { isSame } from "../../lib/record.ts";
import type { NewApiKey } from "../../store/accounts/key-shapes.ts";
import type { ConsoleKey, KeyScope } from "../../store/accounts/keys.ts";
import { StoreError } from "../../store/error.ts";
import type { Call, ControlContext, HandlersOf } from "../context.ts";
import { checkGiven } from "./keys/given.ts";
import { pageOfKeys, showOne } from "./keys/show.ts";

type Routes = typeof keysRoutes;
type Viewer = Call<Routes["listKeys"]>["viewer"];

/** Most keys of an account that are not revoked. */
const keysMax = 20_000;

/** Lifetime of an ephemeral key. */
const ephemeralKeyMs = 15 * 60_000;

const scopeOf = ({ account, userId }: Viewer): KeyScope =>
  account.role === "owner" ? { accountId: account.id } : { accountId: account.id, createdBy: userId };

const keyMissing = () => new GatewayError("not_found", { message: message("key.unknownOrOthers") });

const keyRevoked = () => new GatewayError("invalid_request", { message: message("key.revoked") });

/** Why a key was not changed. */
const refusals = {
  missing: keyMissing,
  revoked: keyRevoked,
  changed_meanwhile: () => new GatewayError("changed_meanwhile"),
} as const;

async function findKey({ store }: ControlContext, id: string, viewer: Viewer): Promise<ConsoleKey> {
  const key = await store.findConsoleKey(id, scopeOf(viewer));
  if (key === undefined) throw keyMissing();
  return key;
}

async function createKey(context: ControlContext, { body, viewer, note }: Call<Routes["createKey"]>) {
  const { store, clock, newId, randomBytes } = context;
  const scope = scopeOf(viewer);
  const given = await checkGiven(store, body, undefined, clock.wallMs());
  if ((await store.countKeys(scope.accountId)) >= keysMax) {
    throw new GatewayError("invalid_request", {
      message: message("key.tooMany", { max: keysMax }),
    });
  }
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  const newKey: NewApiKey = {
    id: newId("key"),
    accountId: scope.accountId,
    name: body.name,
    visiblePrefix,
    digest: digestApiKey(secret),
    models: given.models ?? null,
    ips: given.ips ?? null,
    requestsPerMinute: given.limits?.requestsPerMinute ?? null,
    tokensPerMinute: given.limits?.tokensPerMinute ?? null,
    concurrency: given.limits?.concurrency ?? null,
    budget: given.budget ?? null,
    expiresAt: given.expiresAt ?? null,
    createdBy: viewer.userId,
  };
  const { id } = await store.createKey(newKey).catch((error: unknown) => {
    const isClosed = error instanceof StoreError && error.code === "invalid";
    throw isClosed ? new GatewayError("account_suspended", { message: message("account.closed") }) : error;
  });
  note(id, { ...body });
  return { key: await showOne(context, await findKey(context, id, viewer)), secret };
}

async function changeKey(context: ControlContext, call: Call<Routes["changeKey"]>) {
  const { store, clock } = context;
  const { revision, ...given } = call.body;
  const before = await findKey(context, call.params.id, call.viewer);
  const change = await checkGiven(store, given, before, clock.wallMs());
  const { limits, ...plain } = change;
  if (isSame(before, { ...plain, ...limits })) {
    call.unchanged();
    return await showOne(context, before);
  }
  const outcome = await store.changeKey(before.id, scopeOf(call.viewer), revision, change);
  if (outcome.kind !== "done") throw refusals[outcome.kind]();
  call.note(before.id, given);
  return await showOne(context, outcome.key);
}

async function createEphemeralKey(
  context: ControlContext,
  { params, viewer }: Call<Routes["createEphemeralKey"]>,
) {
  const { store, clock, randomBytes } = context;
  const key = await findKey(context, params.id, viewer);
  const nowMs = clock.wallMs();
  if (key.status === "revoked") throw keyRevoked();
  if (key.status === "disabled")
    throw new GatewayError("invalid_request", { message: message("key.disabled") });
  if (key.expiresAt !== null && key.expiresAt <= nowMs)
    throw new GatewayError("invalid_request", { message: message("key.expired") });
  const { secret } = createApiKey(randomBytes);
  const expiresAt = Math.min(nowMs + ephemeralKeyMs, key.expiresAt ?? Number.POSITIVE_INFINITY);
  const ephemeral = { digest: digestApiKey(secret), keyId: key.id, sessionId: viewer.sessionId, expiresAt };
  if (!(await store.addEphemeralKey(ephemeral))) throw new GatewayError("not_signed_in");
  return { secret, expiresAt: new Date(expiresAt).toISOString() };
}

export const keysHandlers: HandlersOf<Routes> = {
  listKeys: (context, { query, viewer }) => pageOfKeys(context, scopeOf(viewer), query),
  createKey,
  getKey: async (context, { params, viewer }) => showOne(context, await findKey(context, params.id, viewer)),
  changeKey,
  async revokeKey(context, { params, viewer, note, unchanged }) {
    if ((await findKey(context, params.id, viewer)).status === "revoked") unchanged();
    const key = await context.store.revokeKey(params.id, scopeOf(viewer));
    if (key === undefined) throw keyMissing();
    note(key.id, { name: key.name });
    return await showOne(context, key);
  },
  createEphemeralKey,
};

/**
 * Handlers of `contract/api/keys.ts`. An owner sees and changes every key of the account, a member only their
 * own.
 */

import type { keysRoutes } from "@plaza/contract/api/keys.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { createApiKey, digestApiKey } from "../../domain/keys/api-key.ts";
import type { ConsoleKey, KeyScope } from "../../store/accounts/keys.ts";
import type { Call, ControlContext, HandlersOf } from "../context.ts";
import { pageOfKeys, showOne } from "./keys/show.ts";
import { editKey, keyRevoked, makeKey } from "./keys/write.ts";

type Routes = typeof keysRoutes;
type Viewer = Call<Routes["listKeys"]>["viewer"];

/** Lifetime of an ephemeral key. */
const ephemeralKeyMs = 15 * 60_000;

const scopeOf = ({ account, userId }: Viewer): KeyScope =>
  account.role === "owner" ? { accountId: account.id } : { accountId: account.id, createdBy: userId };

const keyMissing = () => new GatewayError("not_found", { message: message("key.unknownOrOthers") });

async function findKey({ store }: ControlContext, id: string, viewer: Viewer): Promise<ConsoleKey> {
  const key = await store.findConsoleKey(id, scopeOf(viewer));
  if (key === undefined) throw keyMissing();
  return key;
}

async function createKey(context: ControlContext, { body, viewer, note }: Call<Routes["createKey"]>) {
  const scope = scopeOf(viewer);
  const { id, secret } = await makeKey(context, { ...scope, createdBy: viewer.userId }, body);
  note(id, { ...body });
  return { key: await showOne(context, await findKey(context, id, viewer)), secret };
}

async function changeKey(
  context: ControlContext,
  { params, body, viewer, ...call }: Call<Routes["changeKey"]>,
) {
  const before = await findKey(context, params.id, viewer);
  const key = await editKey(context, { before, scope: scopeOf(viewer), missing: keyMissing }, body);
  if (key === undefined) call.unchanged();
  else {
    const { revision: _, ...given } = body;
    call.note(before.id, given);
  }
  return await showOne(context, key ?? before);
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

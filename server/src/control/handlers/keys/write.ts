/** Makes and changes keys, for their account and for the operator. Who may is decided before. */
import type { keyChange, newKey } from "@plaza/contract/api/keys.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { z } from "zod";
import { createApiKey, digestApiKey } from "../../../domain/keys/api-key.ts";
import { isSame } from "../../../lib/record.ts";
import type { ConsoleKey, KeyScope } from "../../../store/accounts/keys.ts";
import { StoreError } from "../../../store/error.ts";
import type { ControlContext } from "../../context.ts";
import { checkGiven } from "./given.ts";

/** Most keys of an account that are not revoked. */
const keysMax = 20_000;

export const keyRevoked = () => new GatewayError("invalid_request", { message: message("key.revoked") });

/** Makes a key; resolves with its id and its secret. `createdBy`: a user's id; null: an operator. */
export async function makeKey(
  { store, clock, newId, randomBytes }: ControlContext,
  { accountId, createdBy }: { readonly accountId: string; readonly createdBy: string | null },
  body: z.output<typeof newKey>,
): Promise<{ readonly id: string; readonly secret: string }> {
  const given = await checkGiven(store, body, undefined, clock.wallMs());
  if ((await store.countKeys(accountId)) >= keysMax)
    throw new GatewayError("invalid_request", { message: message("key.tooMany", { max: keysMax }) });
  const { secret, visiblePrefix } = createApiKey(randomBytes);
  const key = {
    id: newId("key"),
    accountId,
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
    project: given.project ?? null,
    tags: given.tags ?? [],
    createdBy,
  };
  const { id } = await store.createKey(key).catch((error: unknown) => {
    const isClosed = error instanceof StoreError && error.code === "invalid";
    throw isClosed ? new GatewayError("account_suspended", { message: message("account.closed") }) : error;
  });
  return { id, secret };
}

/** The key to change: as it is, whose it is, and the error when it is gone. */
export interface EditedKey {
  readonly before: ConsoleKey;
  readonly scope: KeyScope;
  missing(): GatewayError;
}

/** Changes a key; undefined when it is already so. */
export async function editKey(
  { store, clock }: ControlContext,
  { before, scope, missing }: EditedKey,
  { revision, ...given }: z.output<typeof keyChange>,
): Promise<ConsoleKey | undefined> {
  const change = await checkGiven(store, given, before, clock.wallMs());
  const { limits, ...plain } = change;
  if (isSame(before, { ...plain, ...limits })) return undefined;
  const outcome = await store.changeKey(before.id, scope, revision, change);
  if (outcome.kind === "done") return outcome.key;
  const refusals = {
    missing,
    revoked: keyRevoked,
    changed_meanwhile: () => new GatewayError("changed_meanwhile"),
  } as const;
  throw refusals[outcome.kind]();
}

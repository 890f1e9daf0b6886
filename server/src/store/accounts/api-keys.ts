/**
 * API keys. They are stored as a digest and found by it, together with the account data that `authenticate`
 * needs.
 */

import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { keyStart } from "../../domain/keys/api-key.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { StoreError } from "../error.ts";
import { insertChange } from "../operation/changes.ts";
import type { ApiKeysTable, Database } from "../sql/schema.ts";
import type { Store } from "../store.ts";
import { accountLimits, accountStatus, checkLimits } from "./accounts.ts";
import { labelColumns, tagsOf } from "./key-labels.ts";
import type { ApiKey, KeyLimits, KeyWithAccount, NewApiKey } from "./key-shapes.ts";

type ApiKeyMethods = Pick<
  Store,
  "createKey" | "findKeyByDigest" | "hasImportedKeys" | "listKeys" | "setKeyStatus" | "setKeyLimits"
>;

type LimitColumn = "requests_per_minute" | "tokens_per_minute" | "concurrency";

/** Converts a key's row. */
export function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    visiblePrefix: row.visible_prefix,
    status: row.status,
    models: row.models === null ? null : (JSON.parse(row.models) as string[]),
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrency: row.concurrency,
    budget:
      row.budget_nanos === null || row.budget_period === null
        ? null
        : { amount: nanoUsd(row.budget_nanos), period: row.budget_period },
    ips: row.ips === null ? null : (JSON.parse(row.ips) as string[]),
    expiresAt: row.expires_at,
    project: row.project,
    tags: tagsOf(row.tags),
    createdAt: row.created_at,
  };
}

function toRow(key: NewApiKey, nowMs: number): Insertable<ApiKeysTable> {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    visible_prefix: key.visiblePrefix,
    digest: key.digest,
    status: "active",
    models: key.models === null ? null : JSON.stringify(key.models),
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    concurrency: key.concurrency,
    budget_nanos: key.budget?.amount ?? null,
    budget_period: key.budget?.period ?? null,
    ips: key.ips === undefined || key.ips === null ? null : JSON.stringify(key.ips),
    expires_at: key.expiresAt,
    created_at: nowMs,
    created_by: key.createdBy ?? null,
    ...labelColumns(key),
  };
}

/** The columns of the limits given; no others are written. */
function limitColumns(limits: Partial<KeyLimits>): [column: LimitColumn, limit: number | null][] {
  const columns: [LimitColumn, number | null | undefined][] = [
    ["requests_per_minute", limits.requestsPerMinute],
    ["tokens_per_minute", limits.tokensPerMinute],
    ["concurrency", limits.concurrency],
  ];
  return columns.flatMap(([column, limit]) => (limit === undefined ? [] : [[column, limit]]));
}

/** Implements `setKeyLimits`. */
async function changeLimits(
  db: Kysely<Database>,
  clock: Clock,
  id: string,
  limits: Partial<KeyLimits>,
): Promise<ApiKey | undefined> {
  checkLimits(limits);
  const columns = limitColumns(limits);
  return await db.transaction().execute(async (trx) => {
    if (columns.length > 0) {
      const { numUpdatedRows } = await trx
        .updateTable("api_keys")
        .set({ ...Object.fromEntries(columns), revision: sql`revision + 1` })
        .where("id", "=", id)
        .where("status", "<>", "revoked")
        .where((eb) => eb.or(columns.map(([column, limit]) => eb(column, "is distinct from", limit))))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) await insertChange(trx, { kind: "key", subject: id }, clock.wallMs());
    }
    const row = await trx.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
    return row && toApiKey(row);
  });
}

/** Implements `findKeyByDigest`: one query, by the digest of the key or of an ephemeral key. */
async function findByDigest(
  db: Kysely<Database>,
  digest: string,
  nowMs: number,
): Promise<KeyWithAccount | undefined> {
  // An ephemeral key ends with its session, and when its user leaves the account.
  const ephemeral = db
    .selectFrom("ephemeral_keys")
    .innerJoin("sessions", "sessions.id", "ephemeral_keys.session_id")
    .innerJoin("users", "users.id", "sessions.user_id")
    .innerJoin("api_keys", "api_keys.id", "ephemeral_keys.key_id")
    .whereRef("users.account_id", "=", "api_keys.account_id")
    .where("ephemeral_keys.digest", "=", digest)
    .where("sessions.expires_at", ">", nowMs)
    .where("users.status", "=", "active");
  const row = await db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.id", "api_keys.account_id")
    .selectAll("api_keys")
    .select((eb) => [
      "accounts.status as account_status",
      "accounts.closed_at as account_closed_at",
      "accounts.requests_per_minute as account_requests_per_minute",
      "accounts.tokens_per_minute as account_tokens_per_minute",
      "accounts.concurrency as account_concurrency",
      "accounts.responses_kept_ms as account_responses_kept_ms",
      eb
        .selectFrom("ephemeral_keys")
        .select("ephemeral_keys.expires_at")
        .where("ephemeral_keys.digest", "=", digest)
        .as("ephemeral_expires_at"),
    ])
    .where("api_keys.id", "=", (eb) =>
      eb.fn.coalesce(
        eb.selectFrom("api_keys as own").select("own.id").where("own.digest", "=", digest),
        ephemeral.select("ephemeral_keys.key_id"),
      ),
    )
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const status = accountStatus({ status: row.account_status, closed_at: row.account_closed_at });
  const limits = accountLimits({
    requests_per_minute: row.account_requests_per_minute,
    tokens_per_minute: row.account_tokens_per_minute,
    concurrency: row.account_concurrency,
  });
  const key = toApiKey(row);
  const ephemeralEnd = row.ephemeral_expires_at;
  const ofAccount = {
    accountStatus: status,
    accountLimits: limits,
    ...(row.account_responses_kept_ms === null ? {} : { responsesKeptMs: row.account_responses_kept_ms }),
  };
  if (ephemeralEnd === null) return { key, ...ofAccount };
  const expiresAt = Math.min(key.expiresAt ?? ephemeralEnd, ephemeralEnd);
  return { key: { ...key, expiresAt }, isEphemeral: true, ...ofAccount };
}

/** Inserts an active key. Throws when its account does not exist or is closed. */
export async function insertKey(
  trx: Transaction<Database>,
  input: NewApiKey,
  nowMs: number,
): Promise<ApiKey> {
  const account = await trx
    .selectFrom("accounts")
    .select("closed_at")
    .where("id", "=", input.accountId)
    .executeTakeFirst();
  if (account === undefined)
    throw new StoreError("not_found", message("store.accountUnknown", { id: input.accountId }));
  if (account.closed_at !== null)
    throw new StoreError("invalid", message("store.accountClosed", { id: input.accountId }));
  const row = await trx
    .insertInto("api_keys")
    .values(toRow(input, nowMs))
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertChange(trx, { kind: "key", subject: input.id }, nowMs);
  return toApiKey(row);
}

export function createApiKeyMethods(db: Kysely<Database>, clock: Clock): ApiKeyMethods {
  return {
    async createKey(input) {
      const nowMs = clock.wallMs();
      return await db.transaction().execute((trx) => insertKey(trx, input, nowMs));
    },
    findKeyByDigest: (digest) => findByDigest(db, digest, clock.wallMs()),
    async hasImportedKeys() {
      const found = await db
        .selectFrom("api_keys")
        .select("id")
        .where("status", "<>", "revoked")
        .where(sql`substr(visible_prefix, 1, ${keyStart.length})`, "<>", keyStart)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
    async listKeys(accountId) {
      const rows = await db
        .selectFrom("api_keys")
        .selectAll()
        .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId ?? ""))
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(toApiKey);
    },
    async setKeyStatus(id, status) {
      return await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("api_keys")
          .set({ status, revision: sql`revision + 1` })
          .where("id", "=", id)
          .where("status", "not in", [status, "revoked"])
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) await insertChange(trx, { kind: "key", subject: id }, clock.wallMs());
        const row = await trx.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
        return row && toApiKey(row);
      });
    },
    setKeyLimits: (id, limits) => changeLimits(db, clock, id, limits),
  };
}

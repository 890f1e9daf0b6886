/**
 * SQL for `keys.ts`: API keys as the console changes them, and ephemeral keys. `keys-accounts.ts` has the
 * accounts.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, sql, type Transaction, type Updateable } from "kysely";
import { budgetWindow } from "../../domain/money/budget.ts";
import { insertChange } from "../operation/changes.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import { beginningWith, containing } from "../sql/expressions.ts";
import type { ApiKeysTable, Database } from "../sql/schema.ts";
import { checkLimits } from "./accounts.ts";
import { toApiKey } from "./api-keys.ts";
import { findLabels, keyHasLabels, labelColumns, listKeyLabels } from "./key-labels.ts";
import type {
  ConsoleKey,
  KeyChange,
  KeyFilter,
  KeyOutcome,
  KeyScope,
  KeysStore,
  LimitedKey,
  LimitedKeyFilter,
} from "./keys.ts";
import { createConsoleAccountMethods, keyHasLimits } from "./keys-accounts.ts";

/** Most ephemeral keys per session. */
const ephemeralKeysMax = 20;

/** How long an ended ephemeral key is kept, so that its end is not mistaken for an unknown key. */
const ephemeralKeptMs = 60 * 60_000;

const inScope = (db: Kysely<Database>, scope: KeyScope) =>
  db
    .selectFrom("api_keys")
    .leftJoin("users", "users.id", "api_keys.created_by")
    .selectAll("api_keys")
    .select("users.name as created_by_name")
    .where("api_keys.account_id", "=", scope.accountId)
    .$if(scope.createdBy !== undefined, (query) =>
      query.where("api_keys.created_by", "=", scope.createdBy ?? ""),
    );

type Row = Awaited<ReturnType<ReturnType<typeof inScope>["execute"]>>[number];

/** Converts rows to keys, with the amount spent in the current period of their budgets. */
async function toConsoleKeys(
  db: Kysely<Database>,
  rows: readonly Row[],
  nowMs: number,
): Promise<ConsoleKey[]> {
  const windows = new Map(
    rows.flatMap(({ id, budget_period: period }) =>
      period === null ? [] : [[id, budgetWindow(id, period, nowMs).id]],
    ),
  );
  const spendings =
    windows.size === 0
      ? []
      : await db
          .selectFrom("key_budgets")
          .select(["key_id", "spent_nanos"])
          .where("id", "in", [...windows.values()])
          .execute();
  const spent = new Map(spendings.map(({ key_id, spent_nanos }) => [key_id, spent_nanos]));
  return rows.map((row) => ({
    ...toApiKey(row),
    createdBy: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name },
    spent: nanoUsd(spent.get(row.id) ?? 0n),
    revision: row.revision,
  }));
}

async function findKey(
  db: Kysely<Database>,
  id: string,
  scope: KeyScope,
  nowMs: number,
): Promise<ConsoleKey | undefined> {
  const rows = await inScope(db, scope).where("api_keys.id", "=", id).execute();
  return (await toConsoleKeys(db, rows, nowMs))[0];
}

async function pageKeys(
  db: Kysely<Database>,
  { scope, search, statuses, after, limit, ...labels }: KeyFilter,
  nowMs: number,
): Promise<ConsoleKey[]> {
  const rows = await inScope(db, scope)
    .$if(search !== undefined && search !== "", (query) =>
      query.where((eb) =>
        eb.or([
          containing(eb.ref("api_keys.name"), search ?? ""),
          beginningWith(eb.ref("api_keys.visible_prefix"), search ?? ""),
        ]),
      ),
    )
    .$if(statuses !== undefined, (query) =>
      query.where((eb) => {
        const isOver = eb.and([eb("expires_at", "is not", null), eb("expires_at", "<=", nowMs)]);
        return eb.or(
          (statuses ?? []).map((status) => {
            if (status === "expired") return eb.and([eb("api_keys.status", "=", "active"), isOver]);
            if (status === "active") return eb.and([eb("api_keys.status", "=", "active"), eb.not(isOver)]);
            return eb("api_keys.status", "=", status);
          }),
        );
      }),
    )
    .where(keyHasLabels("api_keys.id", labels))
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple("api_keys.created_at", "api_keys.id"),
          "<",
          eb.tuple(after?.createdAt ?? 0, after?.id ?? ""),
        ),
      ),
    )
    .orderBy("api_keys.created_at", "desc")
    .orderBy("api_keys.id", "desc")
    .limit(limit)
    .execute();
  return await toConsoleKeys(db, rows, nowMs);
}

async function pageLimitedKeys(
  db: Kysely<Database>,
  { search = "", after, limit }: LimitedKeyFilter,
  nowMs: number,
): Promise<LimitedKey[]> {
  const rows = await db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.id", "api_keys.account_id")
    .leftJoin("users", "users.id", "api_keys.created_by")
    .selectAll("api_keys")
    .select(["users.name as created_by_name", "accounts.name as account_name"])
    .where(keyHasLimits)
    .$if(search !== "", (query) =>
      query.where((eb) =>
        eb.or([
          eb("api_keys.id", "=", search),
          eb("accounts.id", "=", search),
          containing(eb.ref("api_keys.name"), search),
          containing(eb.ref("accounts.name"), search),
          beginningWith(eb.ref("api_keys.visible_prefix"), search),
        ]),
      ),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple("api_keys.created_at", "api_keys.id"),
          "<",
          eb.tuple(after?.createdAt ?? 0, after?.id ?? ""),
        ),
      ),
    )
    .orderBy("api_keys.created_at", "desc")
    .orderBy("api_keys.id", "desc")
    .limit(limit)
    .execute();
  const keys = await toConsoleKeys(db, rows, nowMs);
  return keys.map((key, at) => ({ ...key, accountName: rows[at]?.account_name ?? "" }));
}

/** The columns a change writes. */
function columnsOf(change: KeyChange): Updateable<ApiKeysTable> {
  const { name, models, ips, limits, budget, expiresAt, status } = change;
  const list = (texts: readonly string[] | null) => (texts === null ? null : JSON.stringify(texts));
  return {
    ...(name === undefined ? {} : { name }),
    ...(models === undefined ? {} : { models: list(models) }),
    ...(ips === undefined ? {} : { ips: list(ips) }),
    ...(limits?.requestsPerMinute === undefined ? {} : { requests_per_minute: limits.requestsPerMinute }),
    ...(limits?.tokensPerMinute === undefined ? {} : { tokens_per_minute: limits.tokensPerMinute }),
    ...(limits?.concurrency === undefined ? {} : { concurrency: limits.concurrency }),
    ...(budget === undefined
      ? {}
      : { budget_nanos: budget?.amount ?? null, budget_period: budget?.period ?? null }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(status === undefined ? {} : { status }),
    ...labelColumns(change),
  };
}

/** Changes what is given of a key that is at this revision. */
export async function changeKey(
  trx: Transaction<Database>,
  { id, scope, revision, change }: { id: string; scope: KeyScope; revision: number; change: KeyChange },
  nowMs: number,
): Promise<KeyOutcome> {
  checkLimits(change.limits ?? {});
  const before = await findKey(trx, id, scope, nowMs);
  if (before === undefined) return { kind: "missing" };
  if (before.status === "revoked") return { kind: "revoked" };
  const columns = columnsOf(change);
  const { numUpdatedRows } = await trx
    .updateTable("api_keys")
    .set({ ...columns, revision: revision + 1 })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .where("status", "<>", "revoked")
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return { kind: "changed_meanwhile" };
  await insertChange(trx, { kind: "key", subject: id }, nowMs);
  const key = await findKey(trx, id, scope, nowMs);
  return key === undefined ? { kind: "missing" } : { kind: "done", key };
}

/**
 * Revokes a key for good, and ends its ephemeral keys. Returns undefined when the key does not exist or is
 * outside the scope.
 */
export async function revokeKey(
  trx: Transaction<Database>,
  id: string,
  scope: KeyScope,
  nowMs: number,
): Promise<ConsoleKey | undefined> {
  if ((await findKey(trx, id, scope, nowMs)) === undefined) return undefined;
  const { numUpdatedRows } = await trx
    .updateTable("api_keys")
    .set({ status: "revoked", revision: sql`revision + 1` })
    .where("id", "=", id)
    .where("status", "<>", "revoked")
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) {
    await trx.deleteFrom("ephemeral_keys").where("key_id", "=", id).execute();
    await insertChange(trx, { kind: "key", subject: id }, nowMs);
  }
  return await findKey(trx, id, scope, nowMs);
}

async function addEphemeralKey(
  trx: Transaction<Database>,
  { digest, keyId, sessionId, expiresAt }: Parameters<KeysStore["addEphemeralKey"]>[0],
  nowMs: number,
): Promise<boolean> {
  await trx
    .deleteFrom("ephemeral_keys")
    .where("expires_at", "<", nowMs - ephemeralKeptMs)
    .execute();
  const ofSession = trx.selectFrom("ephemeral_keys").where("session_id", "=", sessionId);
  const eldest = ofSession
    .select("digest")
    .orderBy("created_at", "desc")
    .orderBy("digest")
    .offset(ephemeralKeysMax - 1)
    .limit(1_000);
  const old = await eldest.execute();
  if (old.length > 0) {
    const digests = old.map((ephemeral) => ephemeral.digest);
    await trx.deleteFrom("ephemeral_keys").where("digest", "in", digests).execute();
  }
  // Inserts from a select on the session's row, so nothing is stored for a session that has ended.
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("ephemeral_keys")
    .columns(["digest", "key_id", "session_id", "created_at", "expires_at"])
    .expression((eb) =>
      eb
        .selectFrom("sessions")
        .select(({ val, cast }) => [
          cast<string>(val(digest), "text").as("digest"),
          cast<string>(val(keyId), "text").as("key_id"),
          "id",
          cast<number>(val(nowMs), "bigint").as("created_at"),
          cast<number>(val(expiresAt), "bigint").as("expires_at"),
        ])
        .where("id", "=", sessionId)
        .where("expires_at", ">", nowMs),
    )
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function createKeysMethods(options: MethodsOptions): KeysStore {
  const { db, clock } = options;
  return {
    pageKeys: (filter) => pageKeys(db, filter, clock.wallMs()),
    pageLimitedKeys: (filter) => pageLimitedKeys(db, filter, clock.wallMs()),
    listKeyLabels: (scope) => listKeyLabels(db, scope),
    findLabels: (search) => findLabels(db, search),
    findConsoleKey: (id, scope) => findKey(db, id, scope, clock.wallMs()),
    async countKeys(accountId) {
      const { count } = await db
        .selectFrom("api_keys")
        .select(({ fn }) => fn.countAll<number | bigint>().as("count"))
        .where("account_id", "=", accountId)
        .where("status", "<>", "revoked")
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    changeKey: (id, scope, revision, change) =>
      db.transaction().execute((trx) => changeKey(trx, { id, scope, revision, change }, clock.wallMs())),
    revokeKey: (id, scope) => db.transaction().execute((trx) => revokeKey(trx, id, scope, clock.wallMs())),
    addEphemeralKey: (ephemeral) =>
      db.transaction().execute((trx) => addEphemeralKey(trx, ephemeral, clock.wallMs())),
    ...createConsoleAccountMethods(options),
  };
}

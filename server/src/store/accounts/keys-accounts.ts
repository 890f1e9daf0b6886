/** SQL for `keys.ts`: accounts as the console changes them. */
import { message } from "@plaza/contract/messages/message.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction, type Updateable } from "kysely";
import { StoreError } from "../error.ts";
import { insertChange } from "../operation/changes.ts";
import { deleteResponsesOf } from "../responses/responses.ts";
import type { MethodsOptions } from "../sql/dialect.ts";
import { containing } from "../sql/expressions.ts";
import type { AccountsTable, Database } from "../sql/schema.ts";
import { checkLimits, checkResponsesKept, toAccount } from "./accounts.ts";
import type {
  AccountChange,
  AccountFilter,
  AccountOutcome,
  AccountPerson,
  ConsoleAccount,
  KeysStore,
} from "./keys.ts";

// Finds accounts and keys with their own limits. The conditions repeat those of the indexes of migration 12
// word for word, because a database uses a partial index only if the query has its exact condition.

/** True when an account has its own limits. */
const accountHasLimits: RawBuilder<SqlBool> = sql<SqlBool>`(
  accounts.requests_per_minute is not null or accounts.tokens_per_minute is not null or accounts.concurrency is not null)`;

/** True when a key is not revoked and has a limit or a budget. */
export const keyHasLimits: RawBuilder<SqlBool> = sql<SqlBool>`(api_keys.status <> 'revoked' and (
  api_keys.requests_per_minute is not null or api_keys.tokens_per_minute is not null
  or api_keys.concurrency is not null or api_keys.budget_nanos is not null))`;

type ConsoleAccountMethods = Pick<
  KeysStore,
  "pageAccounts" | "findConsoleAccount" | "listAccountPeople" | "changeAccount"
>;

const peopleMax = 1_000;

const counted = (db: Kysely<Database>) =>
  db
    .selectFrom("accounts")
    .selectAll("accounts")
    .select((eb) => [
      eb
        .selectFrom("users")
        .select(({ fn }) => fn.countAll<number | bigint>().as("count"))
        .whereRef("users.account_id", "=", "accounts.id")
        .as("users"),
      eb
        .selectFrom("api_keys")
        .select(({ fn }) => fn.countAll<number | bigint>().as("count"))
        .whereRef("api_keys.account_id", "=", "accounts.id")
        .where("api_keys.status", "<>", "revoked")
        .as("keys"),
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof counted>["execute"]>>[number];

const toConsoleAccount = (row: Row): ConsoleAccount => ({
  ...toAccount(row),
  lowBalance: row.low_balance_nanos === null ? null : nanoUsd(row.low_balance_nanos),
  users: Number(row.users ?? 0),
  keys: Number(row.keys ?? 0),
  revision: row.revision,
});

async function findAccount(db: Kysely<Database>, id: string): Promise<ConsoleAccount | undefined> {
  const row = await counted(db).where("accounts.id", "=", id).executeTakeFirst();
  return row && toConsoleAccount(row);
}

async function pageAccounts(
  db: Kysely<Database>,
  { search = "", statuses, hasOwnLimits, after, limit }: AccountFilter,
): Promise<ConsoleAccount[]> {
  const rows = await counted(db)
    .$if(hasOwnLimits === true, (query) => query.where(accountHasLimits))
    .$if(search !== "", (query) =>
      query.where((eb) =>
        eb.or([
          eb("accounts.id", "=", search),
          containing(eb.ref("accounts.name"), search),
          eb.exists(
            eb
              .selectFrom("users")
              .select("users.id")
              .whereRef("users.account_id", "=", "accounts.id")
              .where((user) => containing(user.ref("users.email"), search)),
          ),
        ]),
      ),
    )
    .$if(statuses !== undefined, (query) =>
      query.where((eb) =>
        eb.or(
          (statuses ?? []).map((status) =>
            status === "closed"
              ? eb("accounts.closed_at", "is not", null)
              : eb.and([eb("accounts.closed_at", "is", null), eb("accounts.status", "=", status)]),
          ),
        ),
      ),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple("accounts.created_at", "accounts.id"),
          "<",
          eb.tuple(after?.createdAt ?? 0, after?.id ?? ""),
        ),
      ),
    )
    .orderBy("accounts.created_at", "desc")
    .orderBy("accounts.id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toConsoleAccount);
}

/** The columns a change writes. */
function columnsOf(
  { name, limits, lowBalance, responsesKeptMs, status }: AccountChange,
  nowMs: number,
): Updateable<AccountsTable> {
  const { requestsPerMinute, tokensPerMinute, concurrency } = limits ?? {};
  return {
    ...(name === undefined ? {} : { name }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(lowBalance === undefined ? {} : { low_balance_nanos: lowBalance }),
    ...(responsesKeptMs === undefined ? {} : { responses_kept_ms: responsesKeptMs }),
    ...(status === undefined ? {} : status === "closed" ? { closed_at: nowMs } : { status }),
  };
}

/** Changes what is given of an account that is at this revision. */
export async function changeAccount(
  trx: Transaction<Database>,
  { id, revision, change }: { id: string; revision: number; change: AccountChange },
  nowMs: number,
): Promise<AccountOutcome> {
  checkLimits(change.limits ?? {});
  checkResponsesKept(change.responsesKeptMs);
  if ((change.lowBalance ?? 0n) < 0n) throw new StoreError("invalid", message("store.thresholdNegative"));
  const before = await findAccount(trx, id);
  if (before === undefined) return { kind: "missing" };
  if (before.status === "closed") return { kind: "closed" };
  const { numUpdatedRows } = await trx
    .updateTable("accounts")
    .set({ ...columnsOf(change, nowMs), revision: sql`revision + 1` })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .where("closed_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return { kind: "changed_meanwhile" };
  if (change.responsesKeptMs === 0) await deleteResponsesOf(trx, id);
  await insertChange(trx, { kind: "account", subject: id }, nowMs);
  const account = await findAccount(trx, id);
  return account === undefined ? { kind: "missing" } : { kind: "done", account };
}

export function createConsoleAccountMethods({ db, clock }: MethodsOptions): ConsoleAccountMethods {
  return {
    pageAccounts: (filter) => pageAccounts(db, filter),
    findConsoleAccount: (id) => findAccount(db, id),
    async listAccountPeople(accountId) {
      const rows = await db
        .selectFrom("users")
        .select(["id", "name", "email", "role", "status", "seen_at"])
        .where("account_id", "=", accountId)
        .orderBy("created_at")
        .orderBy("id")
        .limit(peopleMax)
        .execute();
      return rows.map(
        ({ role, seen_at: seenAt, ...row }): AccountPerson => ({ ...row, role: role ?? "member", seenAt }),
      );
    },
    changeAccount: (id, revision, change) =>
      db.transaction().execute((trx) => changeAccount(trx, { id, revision, change }, clock.wallMs())),
  };
}

/** Reads what a configuration file could say of settings, accounts, keys and users. */
import type { Limits } from "@plaza/contract/catalog.ts";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, Selectable } from "kysely";
import type {
  StoredAccount,
  StoredConfiguration,
  StoredKey,
  StoredUser,
} from "../../domain/configuration/shapes.ts";
import { accountStatus } from "../accounts/accounts.ts";
import { toApiKey } from "../accounts/api-keys.ts";
import { readSettings } from "../operation/methods.ts";
import type { AccountsTable, ApiKeysTable, Database } from "../sql/schema.ts";
import type { UsersTable } from "../sql/schema-console.ts";

interface LimitColumns {
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrency: number | null;
}

/** Undefined when none is set. */
function limitsOf(row: LimitColumns): Limits | undefined {
  const limits = Object.entries({
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrency: row.concurrency,
  }).filter(([, limit]) => limit !== null);
  return limits.length === 0 ? undefined : (Object.fromEntries(limits) as Limits);
}

const toAccount = (row: Selectable<AccountsTable>): StoredAccount => ({
  id: row.id,
  name: row.name,
  status: accountStatus(row),
  limits: limitsOf(row),
  responsesKeptMs: row.responses_kept_ms ?? undefined,
  lowBalance: row.low_balance_nanos === null ? undefined : nanoUsd(row.low_balance_nanos),
  revision: row.revision,
});

function toKey(row: Selectable<ApiKeysTable>): StoredKey {
  const { id, accountId, name, visiblePrefix, status, models, ips, budget, expiresAt, project, tags } =
    toApiKey(row);
  return {
    id,
    accountId,
    name,
    digest: row.digest,
    visiblePrefix,
    status,
    models: models ?? undefined,
    ips: ips ?? undefined,
    limits: limitsOf(row),
    budget: budget ?? undefined,
    expiresAt: expiresAt ?? undefined,
    project: project ?? undefined,
    tags: tags.length === 0 ? undefined : tags,
    revision: row.revision,
  };
}

type UserRow = Pick<
  Selectable<UsersTable>,
  "id" | "email" | "account_id" | "role" | "is_operator" | "status" | "revision"
>;

const toUser = (row: UserRow): StoredUser => ({
  id: row.id,
  email: row.email,
  account: row.account_id,
  role: row.role ?? "member",
  isOperator: row.is_operator === 1,
  status: row.status,
  revision: row.revision,
});

/** In one order on every database, whose collations differ. */
const sortedBy = <Name extends string, T extends Readonly<Record<Name, string>>>(
  name: Name,
  items: readonly T[],
): T[] => items.toSorted((a, b) => (a[name] < b[name] ? -1 : 1));

/** Everything, sorted by id and by email address. To be called in a transaction that sees one snapshot. */
export async function readStored(db: Kysely<Database>): Promise<StoredConfiguration> {
  const accounts = await db.selectFrom("accounts").selectAll().execute();
  const keys = await db.selectFrom("api_keys").selectAll().execute();
  const users = await db
    .selectFrom("users")
    .select(["id", "email", "account_id", "role", "is_operator", "status", "revision"])
    .execute();
  return {
    settings: await readSettings(db),
    accounts: sortedBy("id", accounts.map(toAccount)),
    keys: sortedBy("id", keys.map(toKey)),
    users: sortedBy("email", users.map(toUser)),
  };
}

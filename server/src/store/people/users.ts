/** SQL for `people.ts`: users, their own settings, and their credentials. */
import { type Kysely, type SqlBool, sql, type Transaction } from "kysely";
import { seal, unseal } from "../../lib/secret.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { PeopleStore, UserFilter, UserSecrets } from "./people.ts";
import {
  type Db,
  deleteResetLinks,
  deleteSessions,
  findUser,
  type JoinedUser,
  languageColumns,
  selectUsers,
  toUser,
} from "./rows.ts";

type UserMethods = Pick<
  PeopleStore,
  | "findUser"
  | "findUserSecrets"
  | "listUsers"
  | "listMembers"
  | "listOperators"
  | "setProfile"
  | "setPassword"
  | "rehashPassword"
  | "beginTotp"
  | "confirmTotp"
  | "endTotp"
  | "takeTotpStep"
  | "takeRecoveryCode"
  | "setRecoveryCodes"
>;

const operatorsMax = 100;

/** Binds a sealed secret to its user, so that it cannot be opened as another's. */
const totpContext = (userId: string): string => `user ${userId} totp`;

/**
 * Seals the secrets of authenticator apps with the first of several keys. Secrets that no key opens stay
 * unchanged.
 */
export async function resealTotps(
  trx: Transaction<Database>,
  keys: Uint8Array,
  dialect: Pick<SqlDialect, "locksRows">,
): Promise<void> {
  const rows = await trx
    .selectFrom("users")
    .select(["id", "totp_sealed"])
    .where("totp_sealed", "is not", null)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
  for (const { id, totp_sealed } of rows) {
    const plain = openTotp(id, totp_sealed, keys);
    if (plain === null) continue;
    await trx
      .updateTable("users")
      .set({ totp_sealed: seal(plain, keys, totpContext(id)) })
      .where("id", "=", id)
      .execute();
  }
}

function openTotp(userId: string, sealed: string | null, keys: Uint8Array): string | null {
  if (sealed === null) return null;
  try {
    return unseal(sealed, keys, totpContext(userId));
  } catch {
    // The key is lost; recovery codes and a new setup still work.
    return null;
  }
}

function toSecrets(row: JoinedUser, keys: Uint8Array): UserSecrets {
  return {
    user: toUser(row),
    password: row.password,
    totpSecret: openTotp(row.id, row.totp_sealed, keys),
    totpIsConfirmed: row.totp_confirmed_at !== null,
  };
}

/** `%` and `_` in a search stand for themselves. */
const contains = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

async function writeRecoveryCodes(db: Db, userId: string, digests: readonly string[]): Promise<void> {
  await db.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  if (digests.length === 0) return;
  const rows = digests.map((digest) => ({ user_id: userId, digest, used_at: null }));
  await db.insertInto("recovery_codes").values(rows).execute();
}

const noTotp = { totp_sealed: null, totp_confirmed_at: null, totp_last_step: null } as const;

/** Removes the second factor and its recovery codes. */
export async function clearTotp(db: Db, userId: string): Promise<void> {
  await db.updateTable("users").set(noTotp).where("id", "=", userId).execute();
  await writeRecoveryCodes(db, userId, []);
}

function listUsers(db: Kysely<Database>, filter: UserFilter) {
  const { search, accountId, status, isOperator, afterId } = filter;
  let query = selectUsers(db).orderBy("users.id", "desc").limit(filter.limit);
  if (search !== undefined && search !== "") {
    const pattern = contains(search.toLowerCase());
    query = query.where((eb) =>
      eb.or([
        sql<SqlBool>`users.email like ${pattern} escape '\\'`,
        sql<SqlBool>`lower(users.name) like ${pattern} escape '\\'`,
      ]),
    );
  }
  if (accountId !== undefined) query = query.where("users.account_id", "=", accountId);
  if (status !== undefined) query = query.where("users.status", "=", status);
  if (isOperator !== undefined) query = query.where("users.is_operator", "=", isOperator ? 1 : 0);
  if (afterId !== undefined) query = query.where("users.id", "<", afterId);
  return query.execute();
}

type SecondFactorMethods = Pick<
  PeopleStore,
  "beginTotp" | "confirmTotp" | "endTotp" | "takeTotpStep" | "takeRecoveryCode" | "setRecoveryCodes"
>;

function createSecondFactorMethods({ db, keysNow, dialect }: MethodsOptions): SecondFactorMethods {
  return {
    async beginTotp(id, secret) {
      const { numUpdatedRows } = await db
        .updateTable("users")
        .set({ ...noTotp, totp_sealed: seal(secret, keysNow(), totpContext(id)) })
        .where("id", "=", id)
        .where("totp_confirmed_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    confirmTotp: ({ userId, secret, step, recoveryDigests, keepSessionId, nowMs }) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .selectFrom("users")
          .select(["totp_sealed", "totp_confirmed_at"])
          .where("id", "=", userId)
          .$if(dialect.locksRows, (query) => query.forUpdate())
          .executeTakeFirst();
        if (row === undefined || row.totp_confirmed_at !== null) return false;
        if (openTotp(userId, row.totp_sealed, keysNow()) !== secret) return false;
        await trx
          .updateTable("users")
          .set({ totp_confirmed_at: nowMs, totp_last_step: step })
          .where("id", "=", userId)
          .execute();
        await writeRecoveryCodes(trx, userId, recoveryDigests);
        await deleteSessions(trx, userId, { exceptId: keepSessionId }, nowMs);
        return true;
      }),
    endTotp: (userId) => db.transaction().execute((trx) => clearTotp(trx, userId)),
    async takeTotpStep(userId, step) {
      const { numUpdatedRows } = await db
        .updateTable("users")
        .set({ totp_last_step: step })
        .where("id", "=", userId)
        .where((eb) => eb.or([eb("totp_last_step", "is", null), eb("totp_last_step", "<", step)]))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async takeRecoveryCode(userId, digest, nowMs) {
      const { numUpdatedRows } = await db
        .updateTable("recovery_codes")
        .set({ used_at: nowMs })
        .where("user_id", "=", userId)
        .where("digest", "=", digest)
        .where("used_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    setRecoveryCodes: (userId, digests) =>
      db.transaction().execute((trx) => writeRecoveryCodes(trx, userId, digests)),
  };
}

export function createUserMethods(options: MethodsOptions): UserMethods {
  const { db, clock, keysNow } = options;
  return {
    ...createSecondFactorMethods(options),
    findUser: (id) => findUser(db, id),
    async findUserSecrets(by) {
      const row = await selectUsers(db)
        .where("id" in by ? "users.id" : "users.email", "=", "id" in by ? by.id : by.email)
        .executeTakeFirst();
      return row && toSecrets(row, keysNow());
    },
    async listUsers(filter) {
      return (await listUsers(db, filter)).map(toUser);
    },
    async listMembers(accountId, { limit, afterId }) {
      const rows = await selectUsers(db)
        .where("users.account_id", "=", accountId)
        .$if(afterId !== undefined, (query) => query.where("users.id", ">", afterId as string))
        .orderBy("users.id")
        .limit(limit)
        .execute();
      return rows.map(toUser);
    },
    async listOperators() {
      const rows = await selectUsers(db)
        .where("users.is_operator", "=", 1)
        .where("users.status", "=", "active")
        .orderBy("users.id")
        .limit(operatorsMax)
        .execute();
      return rows.map(toUser);
    },
    async setProfile(id, { name, language, theme, timeZone }) {
      const set = {
        ...(name === undefined ? {} : { name }),
        ...(language === undefined ? {} : languageColumns(language)),
        ...(theme === undefined ? {} : { theme }),
        ...(timeZone === undefined ? {} : { time_zone: timeZone }),
      };
      if (Object.keys(set).length > 0) await db.updateTable("users").set(set).where("id", "=", id).execute();
      return await findUser(db, id);
    },
    setPassword: (id, password, keepSessionId) =>
      db.transaction().execute(async (trx) => {
        await trx.updateTable("users").set({ password }).where("id", "=", id).execute();
        await deleteSessions(trx, id, { exceptId: keepSessionId }, clock.wallMs());
        await deleteResetLinks(trx, id);
      }),
    async rehashPassword(id, from, to) {
      await db
        .updateTable("users")
        .set({ password: to })
        .where("id", "=", id)
        .where("password", "=", from)
        .execute();
    },
  };
}

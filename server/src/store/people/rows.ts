/**
 * Converts rows of people for the store's callers, with the queries they come from. Shared by the parts of
 * `methods.ts`.
 */
import type { Kysely, Selectable, Transaction } from "kysely";
import { insertChange } from "../operation/changes.ts";
import type { AccountsTable, Database } from "../sql/schema.ts";
import type { LinksTable, SessionsTable, UsersTable } from "../sql/schema-console.ts";
import type { Link, Role, Session, User } from "./people.ts";

export type Db = Kysely<Database> | Transaction<Database>;

/** Users with the displayed columns of their accounts. */
export function selectUsers(db: Db) {
  return db
    .selectFrom("users")
    .leftJoin("accounts", "accounts.id", "users.account_id")
    .selectAll("users")
    .select([
      "accounts.name as account_name",
      "accounts.status as account_status",
      "accounts.closed_at as account_closed_at",
    ]);
}

export type JoinedUser = Selectable<UsersTable> & {
  account_name: string | null;
  account_status: AccountsTable["status"] | null;
  account_closed_at: number | null;
};

function accountOf(row: JoinedUser): User["account"] {
  if (row.account_id === null) return null;
  return {
    id: row.account_id,
    name: row.account_name ?? "",
    role: row.role as Role,
    status: row.account_closed_at === null ? (row.account_status ?? "active") : "closed",
  };
}

/** A language of a later version, which is not known here, counts as none. */
const languageOf = ({ language, locale }: Pick<UsersTable, "language" | "locale">): User["language"] =>
  language ?? (locale === "ja" ? locale : null);

/**
 * What is stored for a language. Servers before schema 36 read `language` alone, which has only English and
 * Chinese; what they write there counts before `locale`, which they do not change.
 */
export const languageColumns = (language: User["language"]): Pick<UsersTable, "language" | "locale"> =>
  language === "ja" ? { language: null, locale: language } : { language, locale: null };

export function toUser(row: JoinedUser): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator === 1,
    status: row.status,
    account: accountOf(row),
    hasPassword: row.password !== null,
    hasTwoFactor: row.totp_confirmed_at !== null,
    language: languageOf(row),
    theme: row.theme,
    timeZone: row.time_zone,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    revision: row.revision,
  };
}

export async function findUser(db: Db, id: string): Promise<User | undefined> {
  const row = await selectUsers(db).where("users.id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

export function toSession(row: SessionsTable): Session {
  return {
    id: row.id,
    userId: row.user_id,
    csrf: row.csrf,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
  };
}

export function toLink(row: LinksTable & { account_name: string | null }): Link {
  return {
    id: row.id,
    kind: row.kind,
    email: row.email,
    userId: row.user_id,
    accountId: row.account_id,
    accountName: row.account_name,
    role: row.role,
    isOperator: row.is_operator === 1,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
  };
}

/**
 * Ends all sessions of a user, or the given ones; resolves with how many. Serving processes drop their
 * ephemeral keys.
 */
export async function deleteSessions(
  trx: Transaction<Database>,
  userId: string,
  which: { readonly exceptId?: string | undefined; readonly id?: string | undefined },
  nowMs: number,
): Promise<number> {
  const { exceptId, id } = which;
  const chosen = trx
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .$if(exceptId !== undefined, (query) => query.where("id", "<>", exceptId as string))
    .$if(id !== undefined, (query) => query.where("id", "=", id as string));
  const keys = await trx
    .selectFrom("ephemeral_keys")
    .select("key_id")
    .distinct()
    .where("session_id", "in", chosen)
    .orderBy("key_id")
    .execute();
  const { numDeletedRows } = await trx
    .deleteFrom("sessions")
    .where("id", "in", chosen)
    .executeTakeFirstOrThrow();
  for (const { key_id } of keys) await insertChange(trx, { kind: "key", subject: key_id }, nowMs);
  return Number(numDeletedRows);
}

/** Deletes links that set a new password. */
export async function deleteResetLinks(db: Db, userId: string): Promise<void> {
  await db
    .deleteFrom("links")
    .where("kind", "=", "reset")
    .where("user_id", "=", userId)
    .where("used_at", "is", null)
    .execute();
}

/**
 * Ends a user's sessions, password reset links, and the links and invitations it created or received. The
 * user's rights have changed, and nothing issued before may grant the old ones.
 */
export async function endStandingOf(
  trx: Transaction<Database>,
  { id, email }: Pick<User, "id" | "email">,
  nowMs: number,
): Promise<void> {
  await deleteSessions(trx, id, {}, nowMs);
  await trx
    .deleteFrom("links")
    .where("kind", "<>", "setup")
    .where("used_at", "is", null)
    .where((eb) => eb.or([eb("user_id", "=", id), eb("created_by", "=", id), eb("email", "=", email)]))
    .execute();
}

/**
 * Revokes the operator tokens a user created, those created with them, and so on, and deletes the links
 * created with any of them.
 */
export async function revokeTokensOf(
  trx: Transaction<Database>,
  creatorId: string,
  nowMs: number,
): Promise<void> {
  for (let creators = [creatorId]; creators.length > 0; ) {
    const revoked = await trx
      .updateTable("operator_tokens")
      .set({ revoked_at: nowMs })
      .where("created_by", "in", creators)
      .where("revoked_at", "is", null)
      .returning("id")
      .execute();
    creators = revoked.map(({ id }) => id);
    for (const id of creators) await takeBackLinksOf(trx, id);
  }
}

/** Deletes unused links created with an operator token. */
export async function takeBackLinksOf(trx: Transaction<Database>, tokenId: string): Promise<void> {
  await trx.deleteFrom("links").where("created_by", "=", tokenId).where("used_at", "is", null).execute();
}

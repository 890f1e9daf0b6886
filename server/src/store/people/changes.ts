/**
 * SQL for `people.ts`: changes of roles, membership, operators and identities. The last owner of an account
 * and the last operator cannot be removed, however many changes run at the same time.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { Transaction } from "kysely";
import { revokeKey } from "../accounts/keys-methods.ts";
import { StoreError } from "../error.ts";
import { insertChange } from "../operation/changes.ts";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import { insertUser, join, markUsed } from "./links.ts";
import type {
  Identity,
  IdentityOutcome,
  LeftKeys,
  PeopleStore,
  PersonOutcome,
  PersonRefusal,
  RemovalOutcome,
  User,
} from "./people.ts";
import {
  type Db,
  deleteResetLinks,
  deleteSessions,
  endStandingOf,
  findUser,
  revokeTokensOf,
} from "./rows.ts";
import { clearTotp } from "./users.ts";

type ChangeMethods = Pick<
  PeopleStore,
  "countKeysMade" | "changeMember" | "removeMember" | "changeUser" | "findIdentity"
>;
type Removal = Parameters<PeopleStore["removeMember"]>[0];
type UserChange = Parameters<PeopleStore["changeUser"]>[0];
type Making = Parameters<PeopleStore["findIdentity"]>[1];

const refusal = (kind: PersonRefusal): PersonOutcome => ({ kind });

/** Locks an account's owners in one global order; resolves with those who can sign in. */
async function lockOwners(
  trx: Transaction<Database>,
  accountId: string,
  dialect: SqlDialect,
): Promise<string[]> {
  const rows = await trx
    .selectFrom("users")
    .select(["id", "status"])
    .where("account_id", "=", accountId)
    .where("role", "=", "owner")
    .orderBy("id")
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
  return rows.filter(({ status }) => status === "active").map(({ id }) => id);
}

async function lockOperators(trx: Transaction<Database>, dialect: SqlDialect): Promise<string[]> {
  const rows = await trx
    .selectFrom("users")
    .select(["id", "status"])
    .where("is_operator", "=", 1)
    .orderBy("id")
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .execute();
  return rows.filter(({ status }) => status === "active").map(({ id }) => id);
}

const isLast = (ids: readonly string[], id: string): boolean => ids.length === 1 && ids[0] === id;

async function done(db: Db, id: string): Promise<PersonOutcome> {
  const user = await findUser(db, id);
  return user === undefined ? refusal("missing") : { kind: "done", user };
}

async function changeMember(
  trx: Transaction<Database>,
  { accountId, userId, role }: Parameters<PeopleStore["changeMember"]>[0],
  { dialect, clock }: MethodsOptions,
): Promise<PersonOutcome> {
  const owners = await lockOwners(trx, accountId, dialect);
  const user = await findUser(trx, userId);
  if (user?.account?.id !== accountId) return refusal("missing");
  if (user.account.role === role) return { kind: "done", user };
  if (role === "member" && isLast(owners, userId)) return refusal("last_owner");
  await trx
    .updateTable("users")
    .set((eb) => ({ role, revision: eb("revision", "+", 1) }))
    .where("id", "=", userId)
    .where("account_id", "=", accountId)
    .execute();
  await endStandingOf(trx, user, clock.wallMs());
  return await done(trx, userId);
}

/** Keys of the account that a user created and that are not revoked, oldest first. */
const keysMadeBy = (trx: Transaction<Database>, accountId: string, userId: string) =>
  trx
    .selectFrom("api_keys")
    .select("id")
    .where("account_id", "=", accountId)
    .where("created_by", "=", userId)
    .where("status", "<>", "revoked")
    .orderBy("id");

/** Revokes the keys of a user who leaves, or keeps them. */
async function settleKeysOf(
  trx: Transaction<Database>,
  { accountId, userId, revokesKeys }: Removal,
  nowMs: number,
): Promise<LeftKeys> {
  const made = await keysMadeBy(trx, accountId, userId).execute();
  if (!revokesKeys) return { kept: made.length, revoked: 0 };
  for (const { id } of made) await revokeKey(trx, id, { accountId }, nowMs);
  return { kept: 0, revoked: made.length };
}

async function removeMember(
  trx: Transaction<Database>,
  removal: Removal,
  { dialect, clock }: MethodsOptions,
): Promise<RemovalOutcome> {
  const { accountId, userId } = removal;
  const nowMs = clock.wallMs();
  const owners = await lockOwners(trx, accountId, dialect);
  const user = await findUser(trx, userId);
  if (user?.account?.id !== accountId) return { kind: "missing" };
  if (isLast(owners, userId)) return { kind: "last_owner" };
  // This locks the user's row before the sessions', as everywhere.
  const detached = user.isOperator ? { account_id: null, role: null } : {};
  await trx
    .updateTable("users")
    .set((eb) => ({ ...detached, revision: eb("revision", "+", 1) }))
    .where("id", "=", userId)
    .execute();
  await endStandingOf(trx, user, nowMs);
  if (!user.isOperator) {
    await trx.deleteFrom("users").where("id", "=", userId).where("account_id", "=", accountId).execute();
  }
  return { kind: "done", user, keys: await settleKeysOf(trx, removal, nowMs) };
}

/** The account and role of a user after a change; undefined when the account does not exist or is closed. */
async function membershipAfter(
  trx: Transaction<Database>,
  user: User,
  { accountId, role }: UserChange,
): Promise<{ id: string; role: "owner" | "member" } | null | undefined> {
  if (accountId === null) return null;
  if (accountId === undefined || accountId === user.account?.id) {
    if (user.account === null) return role === undefined ? null : undefined;
    return { id: user.account.id, role: role ?? user.account.role };
  }
  const account = await trx
    .selectFrom("accounts")
    .select("closed_at")
    .where("id", "=", accountId)
    .executeTakeFirst();
  if (account === undefined || account.closed_at !== null) return undefined;
  return { id: accountId, role: role ?? "owner" };
}

/** Changes rights and account of a user who is at this revision; the last operator stays one. */
export async function changeUser(
  trx: Transaction<Database>,
  change: UserChange,
  { dialect, clock }: MethodsOptions,
): Promise<PersonOutcome> {
  const nowMs = clock.wallMs();
  const operators = await lockOperators(trx, dialect);
  const user = await findUser(trx, change.id);
  if (user === undefined) return refusal("missing");
  if (user.revision !== change.revision) return refusal("changed_meanwhile");
  const membership = await membershipAfter(trx, user, change);
  if (membership === undefined) return refusal("no_account");
  const { status = user.status, isOperator = user.isOperator } = change;
  if ((status !== "active" || !isOperator) && isLast(operators, user.id)) return refusal("last_operator");
  const { numUpdatedRows } = await trx
    .updateTable("users")
    .set({
      status,
      is_operator: isOperator ? 1 : 0,
      account_id: membership?.id ?? null,
      role: membership?.role ?? null,
      revision: change.revision + 1,
    })
    .where("id", "=", user.id)
    .where("revision", "=", change.revision)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return refusal("changed_meanwhile");
  const isSame =
    status === user.status &&
    isOperator === user.isOperator &&
    (membership?.id ?? null) === (user.account?.id ?? null) &&
    (membership?.role ?? null) === (user.account?.role ?? null);
  if (!isSame) await endStandingOf(trx, user, nowMs);
  const wasRunning = user.isOperator && user.status === "active";
  if (wasRunning && (status !== "active" || !isOperator)) await revokeTokensOf(trx, user.id, nowMs);
  return await done(trx, user.id);
}

async function link(
  trx: Transaction<Database>,
  identity: Identity,
  userId: string,
  nowMs: number,
): Promise<void> {
  await trx
    .insertInto("identities")
    .values({ issuer: identity.issuer, subject: identity.subject, user_id: userId, created_at: nowMs })
    .execute();
}

/**
 * Links the identity to the user with the verified address. That user's password and second factor stop
 * working, unless the user is an operator.
 */
async function linkByEmail(
  trx: Transaction<Database>,
  identity: Identity,
  nowMs: number,
): Promise<IdentityOutcome | undefined> {
  const user = await trx
    .selectFrom("users")
    .select(["id", "is_operator"])
    .where("email", "=", identity.email)
    .executeTakeFirst();
  if (user === undefined) return undefined;
  if (user.is_operator === 0) {
    await trx.updateTable("users").set({ password: null }).where("id", "=", user.id).execute();
    await clearTotp(trx, user.id);
    await deleteResetLinks(trx, user.id);
    await deleteSessions(trx, user.id, {}, nowMs);
  }
  await link(trx, identity, user.id, nowMs);
  return { kind: "linked", userId: user.id };
}

async function joinByInvitation(
  trx: Transaction<Database>,
  identity: Identity,
  { userId, nowMs }: Making,
  dialect: SqlDialect,
): Promise<IdentityOutcome | undefined> {
  const invitation = await trx
    .selectFrom("links")
    .selectAll()
    .where("kind", "=", "invitation")
    .where("email", "=", identity.email)
    .where("used_at", "is", null)
    .where("expires_at", ">", nowMs)
    .orderBy("id", "desc")
    .limit(1)
    .$if(dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirst();
  if (invitation === undefined) return undefined;
  const outcome = await join(trx, invitation, { id: userId, name: identity.name, password: null, nowMs });
  if (outcome.kind !== "done") return undefined;
  await markUsed(trx, invitation.id, nowMs);
  await link(trx, identity, userId, nowMs);
  return { kind: "joined", userId };
}

/** Creates a user without an invitation, with an empty account. */
async function signUp(
  trx: Transaction<Database>,
  identity: Identity,
  accountId: string,
  { userId, nowMs }: Making,
): Promise<IdentityOutcome> {
  const { name, email } = identity;
  await trx
    .insertInto("accounts")
    .values({ id: accountId, name, status: "active", balance_nanos: 0n, created_at: nowMs })
    .execute();
  await insertChange(trx, { kind: "account", subject: accountId }, nowMs);
  const account = { id: accountId, role: "owner" } as const;
  const user = { id: userId, email: email ?? "", name, password: null, isOperator: false, account, nowMs };
  if (!(await insertUser(trx, user))) throw new StoreError("duplicate", message("store.emailTaken"));
  await link(trx, identity, userId, nowMs);
  return { kind: "joined", userId };
}

async function findIdentity(
  trx: Transaction<Database>,
  identity: Identity,
  making: Making,
  dialect: SqlDialect,
): Promise<IdentityOutcome> {
  const known = await trx
    .selectFrom("identities")
    .select("user_id")
    .where("issuer", "=", identity.issuer)
    .where("subject", "=", identity.subject)
    .executeTakeFirst();
  if (known !== undefined) return { kind: "known", userId: known.user_id };
  if (identity.email === null) return { kind: "unknown" };
  const invited =
    (await linkByEmail(trx, identity, making.nowMs)) ??
    (await joinByInvitation(trx, identity, making, dialect));
  if (invited !== undefined) return invited;
  if (making.signUp === undefined) return { kind: "unknown" };
  return await signUp(trx, identity, making.signUp.accountId, making);
}

export function createChangeOfPeopleMethods(options: MethodsOptions): ChangeMethods {
  const { db, dialect } = options;
  return {
    async countKeysMade(accountId, userIds) {
      if (userIds.length === 0) return {};
      const rows = await db
        .selectFrom("api_keys")
        .select(({ fn }) => ["created_by", fn.countAll<number | bigint>().as("keys")])
        .where("account_id", "=", accountId)
        .where("created_by", "in", [...userIds])
        .where("status", "<>", "revoked")
        .groupBy("created_by")
        .execute();
      return Object.fromEntries(rows.map(({ created_by, keys }) => [created_by ?? "", Number(keys)]));
    },
    changeMember: (change) => db.transaction().execute((trx) => changeMember(trx, change, options)),
    removeMember: (removal) => db.transaction().execute((trx) => removeMember(trx, removal, options)),
    changeUser: (change) => db.transaction().execute((trx) => changeUser(trx, change, options)),
    findIdentity: (identity, making) =>
      db.transaction().execute((trx) => findIdentity(trx, identity, making, dialect)),
  };
}

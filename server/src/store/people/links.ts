/** SQL for `people.ts`: one-time links and what using them creates. */
import type { Selectable, Transaction } from "kysely";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { LinksTable } from "../sql/schema-console.ts";
import type { LinkOutcome, NewLink, PeopleStore } from "./people.ts";
import { type Db, deleteResetLinks, deleteSessions, toLink } from "./rows.ts";
import { clearTotp } from "./users.ts";

type LinkMethods = Pick<
  PeopleStore,
  "createLink" | "replaceSetupLink" | "findLink" | "useLink" | "listInvitations" | "withdrawInvitation"
>;

type LinkRow = Selectable<LinksTable>;
type LinkUse = Parameters<PeopleStore["useLink"]>[0];

/** Ended links are kept this long, so that a user who opens one can read why it no longer works. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

const selectLinks = (db: Db) =>
  db
    .selectFrom("links")
    .leftJoin("accounts", "accounts.id", "links.account_id")
    .selectAll("links")
    .select("accounts.name as account_name");

const toRow = (link: NewLink) => ({
  id: link.id,
  digest: link.digest,
  kind: link.kind,
  email: link.email,
  user_id: link.userId,
  account_id: link.accountId,
  role: link.role,
  is_operator: link.isOperator ? 1 : 0,
  created_by: link.createdBy,
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  used_at: null,
});

/** True when an operator exists who can sign in. */
export async function hasOperator(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("is_operator", "=", 1)
    .where("status", "=", "active")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password: string | null;
  readonly isOperator: boolean;
  readonly account: { readonly id: string; readonly role: "owner" | "member" } | null;
  readonly nowMs: number;
}

/** Returns false when a user with that address exists. */
export async function insertUser(db: Db, user: NewUser): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("users")
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password: user.password,
      is_operator: user.isOperator ? 1 : 0,
      account_id: user.account?.id ?? null,
      role: user.account?.role ?? null,
      status: "active",
      totp_sealed: null,
      totp_confirmed_at: null,
      totp_last_step: null,
      language: null,
      theme: null,
      time_zone: null,
      created_at: user.nowMs,
      seen_at: null,
    })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The account created at the first start, while it has no members. */
async function firstLonelyAccount(trx: Transaction<Database>): Promise<string | undefined> {
  const account = await trx
    .selectFrom("accounts")
    .select("id")
    .where("closed_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (account === undefined) return undefined;
  const somebody = await trx
    .selectFrom("users")
    .select("id")
    .where("account_id", "=", account.id)
    .limit(1)
    .executeTakeFirst();
  return somebody === undefined ? account.id : undefined;
}

async function setUp(trx: Transaction<Database>, use: LinkUse): Promise<LinkOutcome> {
  if (await hasOperator(trx)) return { kind: "already_set_up" };
  const accountId = await firstLonelyAccount(trx);
  const isNew = await insertUser(trx, {
    id: use.userId,
    email: use.email ?? "",
    name: use.name ?? use.email ?? "",
    password: use.password,
    isOperator: true,
    account: accountId === undefined ? null : { id: accountId, role: "owner" },
    nowMs: use.nowMs,
  });
  return isNew ? { kind: "done", userId: use.userId } : { kind: "email_taken" };
}

/** Creates the user of an invitation. */
export async function join(
  trx: Transaction<Database>,
  link: LinkRow,
  user: { id: string; name: string; password: string | null; nowMs: number },
): Promise<LinkOutcome> {
  if (link.account_id !== null) {
    const account = await trx
      .selectFrom("accounts")
      .select("closed_at")
      .where("id", "=", link.account_id)
      .executeTakeFirst();
    if (account === undefined || account.closed_at !== null) return { kind: "missing" };
  }
  const isNew = await insertUser(trx, {
    ...user,
    email: link.email ?? "",
    isOperator: link.is_operator === 1,
    account: link.account_id === null || link.role === null ? null : { id: link.account_id, role: link.role },
  });
  return isNew ? { kind: "done", userId: user.id } : { kind: "email_taken" };
}

async function resetPassword(trx: Transaction<Database>, link: LinkRow, use: LinkUse): Promise<LinkOutcome> {
  const userId = link.user_id ?? "";
  const { numUpdatedRows } = await trx
    .updateTable("users")
    .set({ password: use.password })
    .where("id", "=", userId)
    .where("status", "=", "active")
    // Its user became an operator after a caller without the right to reset operators created the link.
    .$if(link.is_operator === 0, (query) => query.where("is_operator", "=", 0))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return { kind: "missing" };
  await clearTotp(trx, userId);
  await deleteSessions(trx, userId, {}, use.nowMs);
  return { kind: "done", userId };
}

function carryOut(trx: Transaction<Database>, link: LinkRow, use: LinkUse): Promise<LinkOutcome> {
  if (link.kind === "setup") return setUp(trx, use);
  if (link.kind === "reset") return resetPassword(trx, link, use);
  const { userId: id, password, nowMs } = use;
  return join(trx, link, { id, name: use.name ?? link.email ?? "", password, nowMs });
}

export async function markUsed(trx: Transaction<Database>, id: string, nowMs: number): Promise<void> {
  await trx.updateTable("links").set({ used_at: nowMs }).where("id", "=", id).execute();
}

async function useLink(
  trx: Transaction<Database>,
  use: LinkUse,
  { locksRows }: SqlDialect,
): Promise<LinkOutcome> {
  const found = await trx
    .selectFrom("links")
    .select("kind")
    .where("digest", "=", use.digest)
    .executeTakeFirst();
  // Setup links are locked in one order: two used at the same time must not create two operators.
  const locked = await trx
    .selectFrom("links")
    .selectAll()
    .$if(found?.kind === "setup", (query) => query.where("kind", "=", "setup"))
    .$if(found?.kind !== "setup", (query) => query.where("digest", "=", use.digest))
    .orderBy("id")
    .$if(locksRows, (query) => query.forUpdate())
    .execute();
  const link = locked.find(({ digest }) => digest === use.digest);
  if (link === undefined) return { kind: "missing" };
  if (link.used_at !== null) return { kind: "used" };
  if (link.expires_at <= use.nowMs) return { kind: "missing" };
  const outcome = await carryOut(trx, link, use);
  if (outcome.kind !== "done") return outcome;
  await markUsed(trx, link.id, use.nowMs);
  // The other setup links end with it.
  if (link.kind === "setup")
    await trx.deleteFrom("links").where("kind", "=", "setup").where("used_at", "is", null).execute();
  if (link.kind === "reset") await deleteResetLinks(trx, outcome.userId);
  return outcome;
}

async function insertLink(db: Db, link: NewLink): Promise<void> {
  await db
    .deleteFrom("links")
    .where("expires_at", "<", link.createdAt - keptMs)
    .execute();
  await db.insertInto("links").values(toRow(link)).execute();
}

export function createLinkMethods({ db, dialect }: MethodsOptions): LinkMethods {
  return {
    createLink: (link) => db.transaction().execute((trx) => insertLink(trx, link)),
    replaceSetupLink: (link) =>
      db.transaction().execute(async (trx) => {
        if (await hasOperator(trx)) return false;
        await trx.deleteFrom("links").where("kind", "=", "setup").where("used_at", "is", null).execute();
        await insertLink(trx, link);
        return true;
      }),
    async findLink(digest) {
      const row = await selectLinks(db).where("links.digest", "=", digest).executeTakeFirst();
      return row && toLink(row);
    },
    useLink: (use) => db.transaction().execute((trx) => useLink(trx, use, dialect)),
    async listInvitations({ accountId, nowMs, limit, afterId }) {
      const rows = await selectLinks(db)
        .where("links.kind", "=", "invitation")
        .where("links.used_at", "is", null)
        .where("links.expires_at", ">", nowMs)
        .$if(accountId !== undefined, (query) => query.where("links.account_id", "=", accountId as string))
        .$if(afterId !== undefined, (query) => query.where("links.id", "<", afterId as string))
        .orderBy("links.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toLink);
    },
    withdrawInvitation: (id, { accountId, sparesOperators }) =>
      db.transaction().execute(async (trx) => {
        const row = await selectLinks(trx)
          .where("links.id", "=", id)
          .where("links.kind", "=", "invitation")
          .where("links.used_at", "is", null)
          .$if(accountId !== undefined, (query) => query.where("links.account_id", "=", accountId as string))
          .executeTakeFirst();
        if (row === undefined) return { kind: "missing" } as const;
        if (sparesOperators && row.is_operator === 1) return { kind: "of_operator" } as const;
        await trx.deleteFrom("links").where("id", "=", id).where("used_at", "is", null).execute();
        return { kind: "done", link: toLink(row) } as const;
      }),
  };
}

/** SQL for `people.ts`: sessions and operator tokens. */
import type { TokenScope } from "@plaza/contract/api/route.ts";
import type { Transaction } from "kysely";
import type { MethodsOptions, SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import type { OperatorTokensTable } from "../sql/schema-console.ts";
import type { NewOperatorToken, OperatorToken, PeopleStore } from "./people.ts";
import { type Db, deleteSessions, findUser, revokeTokensOf, takeBackLinksOf, toSession } from "./rows.ts";

type SessionMethods = Pick<
  PeopleStore,
  | "createSession"
  | "findSession"
  | "readSession"
  | "touchSession"
  | "rotateSession"
  | "listSessions"
  | "endSession"
  | "endSessions"
>;

/** Most sessions per user. Beyond it, the one seen longest ago ends. */
const sessionsPerUserMax = 100;
const prunedMax = 500;

async function dropOver(db: Db, nowMs: number, idleMs: number): Promise<void> {
  const over = db
    .selectFrom("sessions")
    .select("id")
    .where((eb) => eb.or([eb("expires_at", "<=", nowMs), eb("seen_at", "<=", nowMs - idleMs)]))
    .limit(prunedMax);
  await db.deleteFrom("sessions").where("id", "in", over).execute();
}

async function dropBeyond(db: Db, userId: string): Promise<void> {
  const kept = db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("seen_at", "desc")
    .orderBy("id", "desc")
    .limit(sessionsPerUserMax);
  await db.deleteFrom("sessions").where("user_id", "=", userId).where("id", "not in", kept).execute();
}

export function createSessionMethods({ db, clock }: MethodsOptions): SessionMethods {
  return {
    createSession: ({ digest, idleMs, ...session }) =>
      db.transaction().execute(async (trx) => {
        await trx
          .updateTable("users")
          .set({ seen_at: session.seenAt })
          .where("id", "=", session.userId)
          .execute();
        await dropOver(trx, session.createdAt, idleMs);
        await trx
          .insertInto("sessions")
          .values({
            id: session.id,
            digest,
            previous_digest: null,
            user_id: session.userId,
            csrf: session.csrf,
            ip: session.ip,
            user_agent: session.userAgent,
            created_at: session.createdAt,
            rotated_at: session.rotatedAt,
            seen_at: session.seenAt,
            expires_at: session.expiresAt,
          })
          .execute();
        await dropBeyond(trx, session.userId);
      }),
    async findSession(digest, previousSince) {
      const row = await db
        .selectFrom("sessions")
        .selectAll()
        .where((eb) =>
          eb.or([
            eb("digest", "=", digest),
            eb.and([eb("previous_digest", "=", digest), eb("rotated_at", ">=", previousSince)]),
          ]),
        )
        .executeTakeFirst();
      const user = row && (await findUser(db, row.user_id));
      return user && { session: toSession(row), user, isPrevious: row.digest !== digest };
    },
    async readSession(id) {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      const user = row && (await findUser(db, row.user_id));
      return user && { session: toSession(row), user };
    },
    touchSession: (id, nowMs, { ip, userAgent }) =>
      db.transaction().execute(async (trx) => {
        // Locks the user first, as everywhere, so that transactions cannot deadlock.
        const owner = trx.selectFrom("sessions").select("user_id").where("id", "=", id);
        await trx.updateTable("users").set({ seen_at: nowMs }).where("id", "=", owner).execute();
        await trx
          .updateTable("sessions")
          .set({ seen_at: nowMs, ip, user_agent: userAgent })
          .where("id", "=", id)
          .execute();
      }),
    async rotateSession({ id, from, to, nowMs }) {
      const { numUpdatedRows } = await db
        .updateTable("sessions")
        .set({ digest: to, previous_digest: from, rotated_at: nowMs })
        .where("id", "=", id)
        .where("digest", "=", from)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async listSessions(userId) {
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("seen_at", "desc")
        .orderBy("id", "desc")
        .limit(sessionsPerUserMax)
        .execute();
      return rows.map(toSession);
    },
    endSession: (userId, id) =>
      db
        .transaction()
        .execute(async (trx) => (await deleteSessions(trx, userId, { id }, clock.wallMs())) > 0),
    endSessions: (userId, exceptId) =>
      db.transaction().execute((trx) => deleteSessions(trx, userId, { exceptId }, clock.wallMs())),
  };
}

type TokenMethods = Pick<
  PeopleStore,
  | "createOperatorToken"
  | "findOperatorToken"
  | "touchOperatorToken"
  | "listOperatorTokens"
  | "revokeOperatorToken"
  | "findFirstMaker"
  | "bindMadeBy"
>;

const toToken = (row: OperatorTokensTable & { email: string | null }): OperatorToken => ({
  id: row.id,
  name: row.name,
  visiblePrefix: row.visible_prefix,
  scopes: JSON.parse(row.scopes) as TokenScope[],
  createdBy: row.created_by,
  createdByEmail: row.email,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
  revokedAt: row.revoked_at,
});

const selectTokens = (db: Db) =>
  db
    .selectFrom("operator_tokens")
    .leftJoin("users", "users.id", "operator_tokens.created_by")
    .selectAll("operator_tokens")
    .select("users.email");

/**
 * True when the creator of a token is still valid and the token ends no later. Waits for a transaction that
 * is ending the creator, so that no token is created behind it.
 */
async function mayStillMake(
  trx: Transaction<Database>,
  { createdBy, createdAt, expiresAt }: NewOperatorToken,
  { locksRows }: SqlDialect,
): Promise<boolean> {
  if (createdBy === null) return true;
  const user = await trx
    .selectFrom("users")
    .select(["is_operator", "status"])
    .where("id", "=", createdBy)
    .$if(locksRows, (query) => query.forShare())
    .executeTakeFirst();
  if (user !== undefined) return user.is_operator === 1 && user.status === "active";
  const parent = await trx
    .selectFrom("operator_tokens")
    .select(["revoked_at", "expires_at"])
    .where("id", "=", createdBy)
    .$if(locksRows, (query) => query.forShare())
    .executeTakeFirst();
  if (parent === undefined) return true;
  if (parent.revoked_at !== null) return false;
  if (parent.expires_at === null) return true;
  return parent.expires_at > createdAt && expiresAt !== null && expiresAt <= parent.expires_at;
}

export function createTokenMethods({ db, dialect }: MethodsOptions): TokenMethods {
  return {
    createOperatorToken: (token) =>
      db.transaction().execute(async (trx) => {
        if (!(await mayStillMake(trx, token, dialect))) return false;
        await trx
          .insertInto("operator_tokens")
          .values({
            id: token.id,
            name: token.name,
            visible_prefix: token.visiblePrefix,
            digest: token.digest,
            scopes: JSON.stringify(token.scopes),
            created_by: token.createdBy,
            created_at: token.createdAt,
            expires_at: token.expiresAt,
            used_at: null,
            revoked_at: null,
          })
          .execute();
        return true;
      }),
    async findOperatorToken(digest) {
      const row = await selectTokens(db).where("operator_tokens.digest", "=", digest).executeTakeFirst();
      return row && toToken(row);
    },
    async touchOperatorToken(id, nowMs) {
      await db.updateTable("operator_tokens").set({ used_at: nowMs }).where("id", "=", id).execute();
    },
    async listOperatorTokens({ limit, afterId }) {
      const rows = await selectTokens(db)
        .$if(afterId !== undefined, (query) => query.where("operator_tokens.id", "<", afterId as string))
        .orderBy("operator_tokens.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toToken);
    },
    async findFirstMaker(id) {
      let maker = id;
      // Creators are older than what they create, so the loop ends.
      while (true) {
        const row = await db
          .selectFrom("operator_tokens")
          .select("created_by")
          .where("id", "=", maker)
          .executeTakeFirst();
        if (row === undefined || row.created_by === null) return maker;
        maker = row.created_by;
      }
    },
    bindMadeBy: (maker, newMaker) =>
      db.transaction().execute(async (trx) => {
        const change = { created_by: newMaker };
        await trx.updateTable("operator_tokens").set(change).where("created_by", "=", maker).execute();
        await trx.updateTable("links").set(change).where("created_by", "=", maker).execute();
      }),
    revokeOperatorToken: (id, nowMs) =>
      db.transaction().execute(async (trx) => {
        await trx
          .updateTable("operator_tokens")
          .set({ revoked_at: nowMs })
          .where("id", "=", id)
          .where("revoked_at", "is", null)
          .execute();
        await takeBackLinksOf(trx, id);
        await revokeTokensOf(trx, id, nowMs);
        const row = await selectTokens(trx).where("operator_tokens.id", "=", id).executeTakeFirst();
        return row && toToken(row);
      }),
  };
}

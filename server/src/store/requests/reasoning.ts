/**
 * Reasoning of tool calls for the next turn, which may reach another process. Rows are sealed under a key
 * derived from the installation's key and the tool call's id, and the id is stored only as a digest. So
 * database and key file together open nothing without the id that the caller sends back
 * (docs/decisions/0006).
 */
import { createHash, hkdfSync } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { keyBytes, seal, unseal } from "../../lib/secret.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Database } from "../sql/schema.ts";
import type { ReasoningEntry, ReasoningStore } from "./reasoning-shapes.ts";

/** Most bytes and most rows per account; beyond them the oldest are deleted. */
const accountBytesMax = 32 * 1024 * 1024;
const accountRowsMax = 20_000;

/**
 * An account's limits are checked once in this many writes of a process, so they may be exceeded by that
 * many.
 */
const boundEvery = 50;

/** Most rows deleted per statement. */
const pruneMax = 500;
const pruneEveryMs = 60_000;

const sealContextOf = (accountId: string, toolCallId: string): string =>
  `reasoning\0${accountId}\0${toolCallId}`;

const digestOf = (sealContext: string): string => createHash("sha256").update(sealContext).digest("hex");

/** Derives a key for the tool call from each of the installation's keys. */
function keysFor(keys: Uint8Array, sealContext: string): Uint8Array {
  const derived = Array.from({ length: keys.length / keyBytes }, (_, index) => {
    const key = keys.subarray(index * keyBytes, (index + 1) * keyBytes);
    return Buffer.from(hkdfSync("sha256", key, "plaza reasoning", sealContext, keyBytes));
  });
  return Buffer.concat(derived);
}

/** Deletes the oldest rows of an account above its limits. */
async function dropBeyond(trx: Transaction<Database>, accountId: string): Promise<void> {
  const [first] = await trx
    .selectFrom((from) =>
      from
        .selectFrom("reasoning")
        .select([
          "expires_at",
          sql<number>`row_number() over (order by expires_at desc, call_digest)`.as("place"),
          sql<number>`sum(bytes) over (order by expires_at desc, call_digest)`.as("total"),
        ])
        .where("account_id", "=", accountId)
        .as("newest"),
    )
    .select("expires_at")
    .where((eb) => eb.or([eb("place", ">", accountRowsMax), eb("total", ">", accountBytesMax)]))
    .orderBy("expires_at", "desc")
    .limit(1)
    .execute();
  if (first === undefined) return;
  await trx
    .deleteFrom("reasoning")
    .where("account_id", "=", accountId)
    .where("expires_at", "<=", first.expires_at)
    .execute();
}

/** Deletes expired rows, a few at a time, at most once a minute. Called with the heartbeats. */
export function createReasoningPruner(db: Kysely<Database>, clock: Clock): () => Promise<void> {
  let lastMs = -pruneEveryMs;
  return async () => {
    const elapsedMs = clock.elapsedMs();
    if (elapsedMs - lastMs < pruneEveryMs) return;
    const old = await db
      .selectFrom("reasoning")
      .select(["account_id", "call_digest", "expires_at"])
      .where("expires_at", "<=", clock.wallMs())
      .orderBy("expires_at")
      .limit(pruneMax)
      .execute();
    // A full step: there may be more, so the next heartbeat continues.
    if (old.length < pruneMax) lastMs = elapsedMs;
    for (const row of old) {
      await db
        .deleteFrom("reasoning")
        .where("account_id", "=", row.account_id)
        .where("call_digest", "=", row.call_digest)
        .where("expires_at", "=", row.expires_at)
        .execute();
    }
  };
}

/** `db`: on SQLite, a connection whose commits are not synced to disk. */
export function createReasoningMethods(
  db: Kysely<Database>,
  clock: Clock,
  keysNow: () => Uint8Array,
): ReasoningStore {
  let writes = 0;

  return {
    async storeReasoning(entries, expiresAt) {
      if (entries.length === 0) return;
      const keys = keysNow();
      const rows = entries.map(({ accountId, toolCallId, value }) => {
        const sealContext = sealContextOf(accountId, toolCallId);
        const sealed = seal(value, keysFor(keys.subarray(0, keyBytes), sealContext), sealContext);
        return {
          account_id: accountId,
          call_digest: digestOf(sealContext),
          sealed,
          bytes: sealed.length,
          expires_at: expiresAt,
        };
      });
      // One global order, so that two processes cannot deadlock.
      rows.sort((a, b) => (`${a.account_id} ${a.call_digest}` < `${b.account_id} ${b.call_digest}` ? -1 : 1));
      await db.transaction().execute(async (trx) => {
        for (const row of rows) {
          await trx
            .insertInto("reasoning")
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(["account_id", "call_digest"]).doUpdateSet({
                sealed: row.sealed,
                bytes: row.bytes,
                expires_at: row.expires_at,
              }),
            )
            .execute();
        }
        writes += 1;
        if (writes % boundEvery !== 0) return;
        for (const accountId of new Set(rows.map((row) => row.account_id))) await dropBeyond(trx, accountId);
      });
    },

    async findReasoning(accountId, toolCallIds) {
      if (toolCallIds.length === 0) return [];
      const byDigest = new Map(toolCallIds.map((id) => [digestOf(sealContextOf(accountId, id)), id]));
      const rows = await db
        .selectFrom("reasoning")
        .select(["call_digest", "sealed"])
        .where("account_id", "=", accountId)
        .where("call_digest", "in", [...byDigest.keys()])
        .where("expires_at", ">", clock.wallMs())
        .execute();
      const keys = keysNow();
      return rows.flatMap(({ call_digest: digest, sealed }): ReasoningEntry[] => {
        const toolCallId = byDigest.get(digest) ?? "";
        const sealContext = sealContextOf(accountId, toolCallId);
        try {
          return [{ accountId, toolCallId, value: unseal(sealed, keysFor(keys, sealContext), sealContext) }];
        } catch {
          // Sealed with a lost key, or damaged: treated as missing.
          return [];
        }
      });
    },
  };
}

/**
 * Responses kept for the caller's next turn. Payloads are sealed with the installation's key and bound to
 * their account and id; ids are stored as digests. A payload that cannot be opened counts as absent.
 */
import { createHash } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { keyBytes, seal, unseal } from "../../lib/secret.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Database } from "../sql/schema.ts";
import {
  chainBytesMax,
  chainMax,
  type NewStoredResponse,
  type ResponseChain,
  type ResponsesStore,
  type StoredResponse,
} from "./shapes.ts";

/** Most sealed bytes one account keeps; beyond them the oldest responses go. */
const accountBytesMax = 256 * 1024 * 1024;
/** The bound is checked with every large response, and once in this many small ones of a process. */
const boundEvery = 20;
const largeBytes = 1024 * 1024;
/** Rows deleted in one statement. */
const pruneMax = 200;
const pruneEveryMs = 60_000;
/** Items of one response that can be named by their id. */
const itemsMax = 1_000;

const digestOf = (kind: "response" | "item", accountId: string, id: string): string =>
  createHash("sha256").update(`${kind}\0${accountId}\0${id}`).digest("hex");

const sealContextOf = (digest: string): string => `stored response\0${digest}`;

interface Row {
  readonly digest: string;
  readonly parent_digest: string | null;
  readonly model_id: string;
  readonly deployment: string;
  readonly sealed: string;
  readonly created_at: number;
  readonly expires_at: number;
}

const columns = [
  "digest",
  "parent_digest",
  "model_id",
  "deployment",
  "sealed",
  "created_at",
  "expires_at",
] as const;

function opened(row: Row, keys: Uint8Array): StoredResponse | undefined {
  let payload: string;
  try {
    payload = unseal(row.sealed, keys, sealContextOf(row.digest));
  } catch {
    return undefined;
  }
  return {
    modelId: row.model_id,
    deployment: row.deployment,
    payload,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

async function deleteRows(trx: Kysely<Database>, digests: readonly string[]): Promise<number> {
  if (digests.length === 0) return 0;
  await trx.deleteFrom("response_items").where("response_digest", "in", digests).execute();
  const { numDeletedRows } = await trx
    .deleteFrom("stored_responses")
    .where("digest", "in", digests)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes all responses of an account. */
export async function deleteResponsesOf(trx: Transaction<Database>, accountId: string): Promise<void> {
  await trx
    .deleteFrom("response_items")
    .where("response_digest", "in", (from) =>
      from.selectFrom("stored_responses").select("digest").where("account_id", "=", accountId),
    )
    .execute();
  await trx.deleteFrom("stored_responses").where("account_id", "=", accountId).execute();
}

/** Deletes the oldest responses of an account that keeps too much. */
async function dropBeyond(trx: Transaction<Database>, accountId: string): Promise<void> {
  const beyond = await trx
    .selectFrom((from) =>
      from
        .selectFrom("stored_responses")
        .select(["digest", sql<number>`sum(bytes) over (order by created_at desc, digest)`.as("total")])
        .where("account_id", "=", accountId)
        .as("newest"),
    )
    .select("digest")
    .where("total", ">", accountBytesMax)
    .limit(pruneMax)
    .execute();
  await deleteRows(
    trx,
    beyond.map(({ digest }) => digest),
  );
}

/** Deletes what has expired, a few rows at a time, at most once a minute; called with the heartbeats. */
export function createResponsePruner(db: Kysely<Database>, clock: Clock): () => Promise<void> {
  let lastMs = -pruneEveryMs;
  return async () => {
    const elapsedMs = clock.elapsedMs();
    if (elapsedMs - lastMs < pruneEveryMs) return;
    const old = await db
      .selectFrom("stored_responses")
      .select("digest")
      .where("expires_at", "<=", clock.wallMs())
      .orderBy("expires_at")
      .limit(pruneMax)
      .execute();
    // A full step: there may be more, and the next heartbeat goes on.
    if (old.length < pruneMax) lastMs = elapsedMs;
    const digests = old.map(({ digest }) => digest);
    await db.transaction().execute((trx) => deleteRows(trx, digests));
  };
}

/** How long the account's responses are kept by the setting in force; undefined = not at all. */
async function keptMsNow(
  trx: Transaction<Database>,
  { accountId, keptMs }: NewStoredResponse,
): Promise<number | undefined> {
  const account = await trx
    .selectFrom("accounts")
    .select("responses_kept_ms")
    .where("id", "=", accountId)
    .executeTakeFirst();
  const now = account?.responses_kept_ms ?? keptMs;
  return now > 0 ? now : undefined;
}

/** `db`: on SQLite a connection whose commits are not synced to the disk. */
export function createResponsesMethods(
  db: Kysely<Database>,
  clock: Clock,
  keysNow: () => Uint8Array,
): ResponsesStore {
  let writes = 0;

  const rowOf = (digest: string): Promise<Row | undefined> =>
    db
      .selectFrom("stored_responses")
      .select(columns)
      .where("digest", "=", digest)
      .where("expires_at", ">", clock.wallMs())
      .executeTakeFirst();

  return {
    async storeResponse(response) {
      const row = rowFor(response, keysNow());
      const items = [...new Set(response.itemIds)].slice(0, itemsMax).map((itemId) => ({
        item_digest: digestOf("item", response.accountId, itemId),
        response_digest: row.digest,
      }));
      await db.transaction().execute(async (trx) => {
        await deleteRows(trx, [row.digest]);
        // Read now, not when the call began: the account may have switched keeping off meanwhile. It cannot
        // do so before this commits: on either database writing transactions happen one after the other.
        const keptMs = await keptMsNow(trx, response);
        if (keptMs === undefined) return;
        const expires = { expires_at: response.createdAt + keptMs };
        await trx
          .insertInto("stored_responses")
          .values({ ...row, ...expires })
          .execute();
        if (items.length > 0) {
          await trx
            .insertInto("response_items")
            .values(items)
            .onConflict((conflict) =>
              conflict.column("item_digest").doUpdateSet({ response_digest: row.digest }),
            )
            .execute();
        }
        writes += 1;
        if (row.bytes >= largeBytes || writes % boundEvery === 0) await dropBeyond(trx, response.accountId);
      });
    },

    async findResponse(accountId, id) {
      const row = await rowOf(digestOf("response", accountId, id));
      return row && opened(row, keysNow());
    },

    async findResponseChain(accountId, id): Promise<ResponseChain> {
      const keys = keysNow();
      const responses: StoredResponse[] = [];
      let bytes = 0;
      let next: string | null = digestOf("response", accountId, id);
      while (next !== null) {
        const row: Row | undefined = await rowOf(next);
        const response = row && opened(row, keys);
        if (row === undefined || response === undefined) return { kind: "missing" };
        bytes += row.sealed.length;
        if (responses.length === chainMax || bytes > chainBytesMax) return { kind: "too_long" };
        responses.push(response);
        next = row.parent_digest;
      }
      return { kind: "found", responses: responses.reverse() };
    },

    async findResponsesOfItems(accountId, itemIds) {
      if (itemIds.length === 0) return [];
      const byDigest = new Map(itemIds.map((id) => [digestOf("item", accountId, id), id]));
      const rows = await db
        .selectFrom("response_items")
        .innerJoin("stored_responses", "stored_responses.digest", "response_items.response_digest")
        .select(["item_digest", ...columns])
        .where("item_digest", "in", [...byDigest.keys()])
        .where("expires_at", ">", clock.wallMs())
        .execute();
      const keys = keysNow();
      const known = new Map<string, StoredResponse | undefined>();
      return rows.flatMap((row) => {
        if (!known.has(row.digest)) known.set(row.digest, opened(row, keys));
        const response = known.get(row.digest);
        const itemId = byDigest.get(row.item_digest);
        return response === undefined || itemId === undefined ? [] : [{ itemId, response }];
      });
    },

    async deleteResponse(accountId, id) {
      const digest = digestOf("response", accountId, id);
      const row = await rowOf(digest);
      const deleted = await db.transaction().execute((trx) => deleteRows(trx, [digest]));
      return row !== undefined && deleted > 0;
    },
  };
}

function rowFor(response: NewStoredResponse, keys: Uint8Array) {
  const { accountId, id, parentId } = response;
  const digest = digestOf("response", accountId, id);
  const sealed = seal(response.payload, keys.subarray(0, keyBytes), sealContextOf(digest));
  return {
    digest,
    account_id: accountId,
    parent_digest: parentId === undefined ? null : digestOf("response", accountId, parentId),
    model_id: response.modelId,
    deployment: response.deployment,
    sealed,
    bytes: sealed.length,
    created_at: response.createdAt,
  };
}

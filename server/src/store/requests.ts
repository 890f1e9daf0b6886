/**
 * Reading requests back. Writing them is the hot path and goes around Kysely: `sqlite-ledger-writer.ts`.
 */
import { nanoUsd } from "@plaza/contract/money.ts";
import type { Kysely, Selectable } from "kysely";
import { toPriceRow } from "./price-rows.ts";
import type { Database, RequestsTable } from "./schema.ts";
import type { AttemptRecord, Store, StoredRequest, UsageParts } from "./store.ts";

const listMax = 10_000;

export function toRequest(row: Selectable<RequestsTable>): StoredRequest {
  return {
    id: row.id,
    createdAt: row.created_at,
    accountId: row.account_id,
    keyId: row.key_id,
    modelId: row.model_id,
    upstreamId: row.upstream_id,
    upstreamModel: row.upstream_model,
    isStream: row.is_stream === 1,
    status: row.status,
    state: row.state,
    errorCode: row.error_code,
    attempts: row.attempts,
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    outputTokens: row.output_tokens,
    reasoningTokens: row.reasoning_tokens,
    usageSource: row.usage_source,
    firstTokenMs: row.first_token_ms,
    durationMs: row.duration_ms,
    usageParts: row.usage_parts === null ? null : (JSON.parse(row.usage_parts) as UsageParts),
    attemptLog: row.attempt_log === null ? null : (JSON.parse(row.attempt_log) as AttemptRecord[]),
    priceId: row.price_id,
    cost: row.cost_nanos === null ? null : nanoUsd(row.cost_nanos),
    charge: nanoUsd(row.charge_nanos),
    loss: nanoUsd(row.loss_nanos),
  };
}

export function createRequestMethods(db: Kysely<Database>): Pick<Store, "listRequests" | "findRequest"> {
  return {
    async listRequests({ accountId, limit }) {
      const rows = await db
        .selectFrom("requests")
        .selectAll()
        .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId ?? ""))
        // Without an account the primary key gives the order of time; with one the index by account does.
        .$if(accountId !== undefined, (query) => query.orderBy("created_at", "desc"))
        .orderBy("id", "desc")
        .limit(Math.min(Math.max(0, Math.trunc(limit)), listMax))
        .execute();
      return rows.map(toRequest);
    },
    async findRequest(id) {
      const row = await db.selectFrom("requests").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return undefined;
      const price =
        row.price_id === null
          ? undefined
          : await db.selectFrom("prices").selectAll().where("id", "=", row.price_id).executeTakeFirst();
      return { request: toRequest(row), price: price && toPriceRow(price) };
    },
  };
}

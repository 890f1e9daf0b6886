/**
 * Reading requests back. Writing them is the hot path and goes around Kysely: `sqlite-request-writer.ts`.
 */
import type { Kysely, Selectable } from "kysely";
import type { Database, RequestsTable } from "./schema.ts";
import type { RequestRow, Store } from "./store.ts";

const listMax = 10_000;

function toRequestRow(row: Selectable<RequestsTable>): RequestRow {
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
  };
}

export function createRequestMethods(db: Kysely<Database>): Pick<Store, "listRequests"> {
  return {
    async listRequests({ accountId, limit }) {
      const rows = await db
        .selectFrom("requests")
        .selectAll()
        .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId ?? ""))
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(Math.min(Math.max(0, Math.trunc(limit)), listMax))
        .execute();
      return rows.map(toRequestRow);
    },
  };
}

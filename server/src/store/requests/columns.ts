/**
 * The columns of `requests`, each defined once: name, property of the row, type in both databases and, by
 * order, position. Statements, serialized values, rows read back and Kysely's table type are derived from it.
 * Knows no SQL.
 */
import type { NanoUsd } from "@plaza/contract/money.ts";
import type { Generated } from "kysely";
import type { RequestRow, StoredRequest } from "./shapes.ts";
import { writeUsageParts } from "./usage-parts.ts";

/** A kind of column in both databases, with its collation where that is not the default. */
interface ColumnType {
  readonly sqlite: "TEXT" | "INTEGER";
  readonly postgres: "text" | "bigint";
  readonly collation?: "C";
}

const text: ColumnType = { sqlite: "TEXT", postgres: "text" };
const integer: ColumnType = { sqlite: "INTEGER", postgres: "bigint" };

/**
 * `id`: sorted byte by byte in both databases. `flag`: 0 or 1. `milliseconds`: a duration, rounded to whole
 * milliseconds.
 */
const types = {
  id: { ...text, collation: "C" },
  text,
  json: text,
  flag: integer,
  integer,
  milliseconds: integer,
  nanos: integer,
} as const satisfies Record<string, ColumnType>;

export type ColumnKind = keyof typeof types;

export const columnTypes: Readonly<Record<ColumnKind, ColumnType>> = types;

/** The kinds of column that can hold a property's values, ignoring null. */
type KindFor<Value> = Value extends boolean
  ? "flag"
  : Value extends NanoUsd
    ? "nanos"
    : Value extends string
      ? "id" | "text"
      : Value extends number
        ? "integer" | "milliseconds"
        : "json";

/** How a column stores a property's values. */
type Stored<Value, OfKind extends ColumnKind> =
  | (OfKind extends "flag"
      ? number
      : OfKind extends "nanos"
        ? bigint
        : OfKind extends "json"
          ? string
          : NonNullable<Value>)
  | Extract<Value, null>;

interface Column<Value, OfKind extends ColumnKind> {
  readonly name: string;
  readonly kind: OfKind;
  /**
   * The column's value for a recorded row. Called for every request; separate functions keep each call fast.
   */
  readonly write: (row: RequestRow) => Stored<Value, OfKind>;
  /** The table's default as SQL, for rows older than the column or not written here; absent: none. */
  readonly initial?: string;
}

type ColumnFor<Value, OfKind extends ColumnKind = KindFor<NonNullable<Value>>> = OfKind extends ColumnKind
  ? Column<Value, OfKind> &
      (null extends Value ? { readonly isNullable: true } : { readonly isNullable?: never })
  : never;

/**
 * The compiler rejects a property without a column, a column without a property, and a column of the wrong
 * kind. `queueMs` is in the column of `usageParts`.
 */
type RequestColumns = {
  readonly [Property in Exclude<keyof StoredRequest, "queueMs">]-?: ColumnFor<StoredRequest[Property]>;
};

/**
 * In order of the values, which is also the order in journals on disk. A new column must be added at the end,
 * and `row.ts` must say how lines without it are read.
 */
const requestColumns = {
  id: { name: "id", kind: "id", write: (row) => row.id },
  createdAt: { name: "created_at", kind: "integer", write: (row) => row.createdAt },
  accountId: { name: "account_id", kind: "id", write: (row) => row.accountId },
  keyId: { name: "key_id", kind: "id", write: (row) => row.keyId },
  modelId: { name: "model_id", kind: "text", isNullable: true, write: (row) => row.modelId },
  upstreamId: { name: "upstream_id", kind: "text", isNullable: true, write: (row) => row.upstreamId },
  upstreamModel: {
    name: "upstream_model",
    kind: "text",
    isNullable: true,
    write: (row) => row.upstreamModel,
  },
  isStream: { name: "is_stream", kind: "flag", write: (row) => (row.isStream ? 1 : 0) },
  status: { name: "status", kind: "integer", write: (row) => row.status },
  state: { name: "state", kind: "text", write: (row) => row.state },
  errorCode: { name: "error_code", kind: "text", isNullable: true, write: (row) => row.errorCode },
  attempts: { name: "attempts", kind: "integer", write: (row) => row.attempts },
  inputTokens: { name: "input_tokens", kind: "integer", write: (row) => row.inputTokens },
  cachedInputTokens: { name: "cached_input_tokens", kind: "integer", write: (row) => row.cachedInputTokens },
  cacheWriteTokens: { name: "cache_write_tokens", kind: "integer", write: (row) => row.cacheWriteTokens },
  outputTokens: { name: "output_tokens", kind: "integer", write: (row) => row.outputTokens },
  reasoningTokens: { name: "reasoning_tokens", kind: "integer", write: (row) => row.reasoningTokens },
  usageSource: { name: "usage_source", kind: "text", write: (row) => row.usageSource },
  firstTokenMs: {
    name: "first_token_ms",
    kind: "milliseconds",
    isNullable: true,
    write: (row) => (row.firstTokenMs === null ? null : Math.round(row.firstTokenMs)),
  },
  durationMs: { name: "duration_ms", kind: "milliseconds", write: (row) => Math.round(row.durationMs) },
  /** Parts of the token classes (`contract/usage.ts`) that are not 0, and `queueMs`. */
  usageParts: { name: "usage_parts", kind: "json", isNullable: true, write: writeUsageParts },
  /** List of attempts; null for a single successful attempt. */
  attemptLog: {
    name: "attempt_log",
    kind: "json",
    isNullable: true,
    write: (row) => (row.attemptLog === null ? null : JSON.stringify(row.attemptLog)),
  },
  /**
   * Row of `prices` in force at admission. Without a foreign key: a request is recorded even if its key was
   * deleted.
   */
  priceId: { name: "price_id", kind: "integer", isNullable: true, write: (row) => row.priceId },
  /** What the upstreams charge for all attempts; null: unknown. */
  cost: { name: "cost_nanos", kind: "nanos", isNullable: true, write: (row) => row.cost },
  charge: { name: "charge_nanos", kind: "nanos", initial: "0", write: (row) => row.charge },
  /**
   * The part of the charge that the account could not pay; an `operator_loss` entry credits it. Computed when
   * settling.
   */
  loss: { name: "loss_nanos", kind: "nanos", initial: "0", write: () => 0n },
  /** The operation of the called path (`contract/operations.ts`). */
  operation: { name: "operation", kind: "text", initial: "'chat'", write: (row) => row.operation },
} as const satisfies RequestColumns;

/**
 * Columns one database has for itself. `xid`: which transaction added the row (`0001-0015/0011-usage.ts`).
 */
export const ownColumns = {
  sqlite: [],
  postgres: [{ name: "xid", type: "xid8" }],
} as const;

type Columns = typeof requestColumns;
export type RequestProperty = keyof Columns;

/** The Kysely type of `requests`. */
export type RequestsTable = {
  [Property in RequestProperty as Columns[Property]["name"]]: Columns[Property] extends { initial: string }
    ? Generated<Stored<StoredRequest[Property], Columns[Property]["kind"]>>
    : Stored<StoredRequest[Property], Columns[Property]["kind"]>;
};

interface ListedColumn {
  readonly property: RequestProperty;
  readonly name: keyof RequestsTable;
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
  readonly initial: string | undefined;
  readonly write: (row: RequestRow) => string | number | bigint | null;
}

/** The columns in order of the values. */
export const columnList: readonly ListedColumn[] = (Object.keys(requestColumns) as RequestProperty[]).map(
  (property) => ({ property, isNullable: false, initial: undefined, ...requestColumns[property] }),
);

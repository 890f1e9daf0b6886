/**
 * P29's rows: requests inserted by one statement of set-based SQL on either database. Computed from the seed,
 * so that the same seed gives the same rows everywhere. Does not use the product's store.
 */

/** SQL expressions that differ between databases. */
export interface RawWords {
  /** The numbers `from` ≤ i < `to`, as a table n(i). */
  readonly series: (from: number, to: number) => string;
  /** A whole number as text, padded to this many digits. */
  readonly padded: (number: string, digits: number) => string;
}

export const sqliteWords: RawWords = {
  series: (from, to) =>
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})`,
  padded: (number, digits) => `printf('%0${digits}d', ${number})`,
};

export const postgresWords: RawWords = {
  series: (from, to) => `with n(i) as (select generate_series(${from}::bigint, ${to - 1}::bigint))`,
  padded: (number, digits) => `lpad((${number})::text, ${digits}, '0')`,
};

/** Distribution of the rows. */
export interface RowsPlan {
  readonly seed: number;
  readonly rows: number;
  readonly fromMs: number;
  readonly days: number;
  readonly accounts: number;
  readonly models: number;
}

export const planOf = (seed: number, rows: number, fromMs: number): RowsPlan => ({
  seed: seed % 1_000_003,
  rows,
  fromMs,
  days: 90,
  accounts: rows > 1_000_000 ? 300 : 40,
  models: 40,
});

export const accountOf = (number: number): string => `acc_${number}`;
/** Every account has up to 20 keys. */
export const keysOf = (account: number): number => 1 + (account % 20);
export const keyOf = (account: number, key: number): string => `key_${account}_${key}`;
export const modelOf = (number: number): string => `maker/model-${number}`;

const prime = 2_147_483_647;

/** A pseudo-random number from 0 to 2^31 − 1, independent for each `stream`. */
function chance(seed: number, stream: number): string {
  const mixed = `((i * ${48_271 + 2 * stream} + ${seed * 31 + stream * 7_919_111}) % ${prime})`;
  return `((${mixed} * ${mixed} / 65536) % ${prime})`;
}

/** Smaller numbers are more frequent: the first of 100 gets a tenth of all. */
const skewed = (random: string, count: number) =>
  `((${random} % 10000) * (${random} % 10000) * ${count} / 100000000)`;

/** Milliseconds of the i-th request; one in a hundred was recorded days after it was made. */
function timeOf({ seed, rows, fromMs, days }: RowsPlan): string {
  const step = Math.floor((days * 86_400_000) / rows);
  const late = `case when ${chance(seed, 1)} % 100 = 0 then ${chance(seed, 2)} % 172800000 else 0 end`;
  return `(${fromMs} + i * ${step} + (${chance(seed, 3)} % ${Math.max(1, step * 3)}) - ${late})`;
}

const errors = [
  "upstream_error",
  "upstream_timeout",
  "rate_limit_exceeded",
  "insufficient_balance",
  "model_not_found",
  "overloaded",
];

const caseOf = (random: string, values: readonly (string | number)[]) =>
  `case ${random} % ${values.length} ${values
    .map((value, index) => `when ${index} then ${typeof value === "string" ? `'${value}'` : value}`)
    .join(" ")} end`;

/** Inserts the requests from ≤ i < to. */
export function insertRows(words: RawWords, plan: RowsPlan, from: number, to: number): string {
  const { seed, accounts, models } = plan;
  const dice = (stream: number) => chance(seed, stream);
  const tokens = (stream: number, most: number) => `(${skewed(dice(stream), most)})`;
  const isFailed = "s >= 95";
  return `insert into requests (id, created_at, account_id, key_id, model_id, upstream_id, upstream_model, is_stream, status, state,
      error_code, operation, attempts, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source,
      first_token_ms, duration_ms, charge_nanos, loss_nanos, cost_nanos)
    ${words.series(from, to)}, drawn as (select i, ${timeOf(plan)} as t, ${skewed(dice(4), accounts)} as a, ${dice(5)} as k,
      ${skewed(dice(6), models)} as m, ${dice(7)} % 100 as s, ${dice(8)} as e, ${dice(9)} as f, ${dice(10)} as d,
      ${tokens(11, 20_000)} as input, ${tokens(12, 40_000)} as cached, ${tokens(13, 3_000)} as written,
      ${tokens(14, 4_000)} as output, ${dice(15)} as c from n)
    select 'req_' || ${words.padded("t", 14)} || ${words.padded("i", 9)}, t, 'acc_' || a, 'key_' || a || '_' || (k % (1 + a % 20)),
      case when c % 50 = 0 then null else 'maker/model-' || m end, 'main', 'm', k % 2,
      case when ${isFailed} then ${caseOf("e", [502, 504, 429, 402, 404, 503])} when s >= 93 then 499 else 200 end,
      case when ${isFailed} then 'failed' when s >= 93 then 'aborted' when s >= 90 then 'incomplete' else 'complete' end,
      case when ${isFailed} then ${caseOf("e", errors)} end,
      case when m % 7 = 3 then 'embeddings' when m % 7 = 5 and k % 3 = 0 then 'completion' else 'chat' end, 1,
      case when ${isFailed} then 0 else input end, case when ${isFailed} then 0 else cached end,
      case when ${isFailed} then 0 else written end, case when ${isFailed} then 0 else output end,
      case when ${isFailed} then 0 else output / 3 end, case when ${isFailed} then 'none' else 'exact' end,
      case when ${isFailed} then null else 40 + f % 2500 end, 2600 + d % 60000,
      case when ${isFailed} then 0 else input * 250 + output * 2000 end, case when c % 997 = 0 and not (${isFailed}) then 13 else 0 end,
      case when c % 17 = 0 then null else input * 200 end
    from drawn`;
}

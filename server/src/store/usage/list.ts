/**
 * Lists requests page by page, newest first. The sums show which half hours have matching requests; only
 * their rows are read, by account or by the ids of those minutes. Rows that are not summed yet are searched
 * separately.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import { slotMs } from "../../lib/time/time-zone.ts";
import { findLabelledKeys } from "../accounts/key-labels.ts";
import { among, inOneView, newRequests, ownRequests, type RequestScope, readLists } from "../lists/read.ts";
import type { RequestsTable } from "../requests/columns.ts";
import { toRequest } from "../requests/requests.ts";
import type { StoredRequest } from "../requests/shapes.ts";
import { removedBelow } from "../retention/removed.ts";
import type { SqlDialect } from "../sql/dialect.ts";
import type { Database } from "../sql/schema.ts";
import { finest } from "./series.ts";
import { candidateSlots } from "./spans.ts";
import { filterRows, findNewRows, namesById } from "./sums.ts";
import type { NamedRequest, RequestFilter, RequestPosition } from "./usage.ts";

const limitMax = 1_000;
const minuteMs = 60_000;

/** A half hour with this many requests is read minute by minute. */
const slotRowsMax = 5_000;

/** Most separate half hours read together. */
const batchMax = 40;

/**
 * Most keys with the labels asked for that are named in statements: each half hour read names them all, and
 * SQLite allows 32,766 parameters. With more, each half hour looks the labels up by itself.
 */
const labelledKeysMax = 500;

/** A time after all others. */
const endMs = Number.MAX_SAFE_INTEGER - slotMs;

interface Asked {
  readonly filter: RequestFilter;
  readonly after: RequestPosition | undefined;
  readonly limit: number;
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The end of the range of ids that begin with a text. */
const prefixEnd = (prefix: string): string => `${prefix}\u{10ffff}`;

function conditions({ filter, after }: Asked, account?: RawBuilder<string>): RawBuilder<boolean> {
  const { states, errorCode, idPrefix } = filter;
  const parts = [filterRows(filter, account)];
  if (states !== undefined) {
    parts.push(states.length === 0 ? sql`false` : sql`requests.state in (${sql.join([...new Set(states)])})`);
  }
  if (errorCode !== undefined) parts.push(sql`requests.error_code = ${errorCode}`);
  if (idPrefix !== undefined)
    parts.push(sql`requests.id >= ${idPrefix} and requests.id < ${prefixEnd(idPrefix)}`);
  if (after !== undefined) {
    parts.push(
      sql`(requests.created_at < ${after.createdAt} or (requests.created_at = ${after.createdAt} and requests.id < ${after.id}))`,
    );
  }
  return sql`${sql.join(parts, sql` and `)}`;
}

/** A time range and the requests to look for it in. */
interface Found extends Range {
  readonly scope: RequestScope;
}

/** The newest matching rows of each range, in one statement. */
async function readRows(
  trx: Transaction<Database>,
  asked: Asked,
  found: readonly Found[],
): Promise<StoredRequest[]> {
  const parts = found.map(({ fromMs, toMs, scope: { source, condition, time, id, account } }) => {
    const isWithin = sql`${time} >= ${fromMs} and ${time} < ${toMs}`;
    return sql`select * from (select requests.* from ${source}
      where ${condition} and ${isWithin} and ${conditions(asked, account)}
      order by ${time} desc, ${id} desc limit ${asked.limit}) part`;
  });
  const { rows } = await sql<Selectable<RequestsTable>>`${sql.join(parts, sql` union all `)}`.execute(trx);
  return rows.map(toRequest);
}

/** The only account with matching requests; undefined when there may be several. */
async function onlyAccount(trx: Transaction<Database>, { filter }: Asked): Promise<string | undefined> {
  const { accounts, keys } = filter;
  if (accounts !== undefined) return accounts.length === 1 ? accounts[0] : undefined;
  if (keys?.length !== 1) return undefined;
  const rows = await trx
    .selectFrom("usage_series")
    .select("account_id")
    .distinct()
    .where("kind", "=", finest)
    .where("key_id", "=", keys[0] as string)
    .limit(2)
    .execute();
  return rows.length === 1 ? rows[0]?.account_id : undefined;
}

/** Finds the rows of ranges; ranges without any are left out. */
type Finder = (ranges: readonly Range[]) => Promise<Found[]>;

/** Finds rows by the smallest and the largest id in the ranges' minutes. */
function idFinder(trx: Transaction<Database>): Finder {
  return async (ranges) => {
    const parts = ranges.map(
      (
        { fromMs, toMs },
        index,
      ) => sql`select ${sql.lit(index)} as range_index, min(first_id) as first, max(last_id) as last
        from usage_minutes where minute >= ${Math.floor(fromMs / minuteMs)} and minute <= ${Math.floor((toMs - 1) / minuteMs)}`,
    );
    const { rows } = await sql<{
      range_index: number;
      first: string | null;
      last: string;
    }>`${sql.join(parts, sql` union all `)}`.execute(trx);
    return rows.flatMap(({ range_index: index, first, last }) =>
      first === null
        ? []
        : [
            {
              ...(ranges[index] as Range),
              scope: among(sql`requests.id >= ${first} and requests.id <= ${last}`),
            },
          ],
    );
  };
}

const accountFinder =
  (scope: RequestScope): Finder =>
  async (ranges) =>
    ranges.map((range) => ({ ...range, scope }));

/** A range minute by minute, newest first. */
function* minutesOf({ fromMs, toMs }: Range): Generator<Range> {
  for (let minute = Math.floor((toMs - 1) / minuteMs); minute * minuteMs >= fromMs; minute--)
    yield { fromMs: minute * minuteMs, toMs: (minute + 1) * minuteMs };
}

interface Run extends Range {
  readonly requests: number;
}

/** The half hours with requests; neighbours are joined as long as they have few. */
async function* runsOf(
  slots: AsyncIterable<{ slot: number; requests: number }>,
  limit: number,
): AsyncGenerator<Run> {
  let run: Run | undefined;
  for await (const { slot, requests } of slots) {
    const [fromMs, toMs] = [slot * slotMs, (slot + 1) * slotMs];
    if (run !== undefined && run.fromMs === toMs && run.requests < limit) {
      run = { ...run, fromMs, requests: run.requests + requests };
      continue;
    }
    if (run !== undefined) yield run;
    run = { fromMs, toMs, requests };
  }
  if (run !== undefined) yield run;
}

/**
 * Groups ranges to read together: as many as should fill the page. A busy one is read alone, minute by minute
 * if requested.
 */
async function* batchesOf(
  runs: AsyncIterable<Run>,
  limit: number,
  isByMinute: boolean,
): AsyncGenerator<readonly Range[]> {
  let batch: Run[] = [];
  let requests = 0;
  for await (const run of runs) {
    if (isByMinute && run.requests > slotRowsMax) {
      if (batch.length > 0) yield batch;
      for (const minute of minutesOf(run)) yield [minute];
      [batch, requests] = [[], 0];
      continue;
    }
    batch.push(run);
    requests += run.requests;
    if (requests < limit && batch.length < batchMax) continue;
    yield batch;
    [batch, requests] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** The time range of summed requests whose ids begin with a text; undefined when there are none. */
async function rangeOfPrefix(trx: Transaction<Database>, prefix: string): Promise<Range | undefined> {
  const row = await trx
    .selectFrom("usage_minutes")
    .select((eb) => [eb.fn.min("minute").as("first"), eb.fn.max("minute").as("last")])
    .where("last_id", ">=", prefix)
    .where("first_id", "<", prefixEnd(prefix))
    .executeTakeFirst();
  if (row === undefined || row.first === null) return undefined;
  return { fromMs: row.first * minuteMs, toMs: (row.last + 1) * minuteMs };
}

/** Rows that are summed (and perhaps some that are not): enough to fill the page, or all there are. */
async function readCounted(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  asked: Asked,
  range: Range,
  openDay: number,
): Promise<StoredRequest[]> {
  const account = await onlyAccount(trx, asked);
  const lists = account === undefined ? undefined : await readLists(trx, dialect);
  const find = account === undefined ? idFinder(trx) : accountFinder(ownRequests(account, lists));
  // Sums and lists have marks of their own: what is summed may not be copied.
  const late =
    account === undefined || lists === undefined
      ? []
      : await readRows(trx, asked, [{ ...range, scope: newRequests(account, lists) }]);
  const found: StoredRequest[] = [];
  const runs = runsOf(candidateSlots(trx, asked.filter, range, openDay), asked.limit);
  for await (const batch of batchesOf(runs, asked.limit, account === undefined)) {
    const parts = batch
      .map(({ fromMs, toMs }) => ({
        fromMs: Math.max(fromMs, range.fromMs),
        toMs: Math.min(toMs, range.toMs),
      }))
      .filter(({ fromMs, toMs }) => fromMs < toMs);
    const scoped = parts.length === 0 ? [] : await find(parts);
    if (scoped.length === 0) continue;
    for (const row of await readRows(trx, asked, scoped)) found.push(row);
    if (found.length >= asked.limit) break;
  }
  return [...late, ...found];
}

/** True for a list of one account without further filters, which its index already sorts. */
function isPlain({
  accounts,
  keys,
  models,
  states,
  operations,
  projects,
  tags,
  errorCode,
  idPrefix,
}: RequestFilter): boolean {
  const others = [keys, models, states, operations, projects, tags, errorCode, idPrefix];
  return accounts?.length === 1 && others.every((other) => other === undefined);
}

/** A list of one account: what is copied, and what is not. */
async function readPlain(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  asked: Asked,
  range: Range,
): Promise<StoredRequest[]> {
  const account = asked.filter.accounts?.[0] as string;
  const lists = await readLists(trx, dialect);
  const scopes = [ownRequests(account, lists)];
  if (lists !== undefined) scopes.push(newRequests(account, lists));
  const rows = await readRows(
    trx,
    asked,
    scopes.map((scope) => ({ ...range, scope })),
  );
  return newestOf(rows, asked.limit);
}

async function readPage(
  trx: Transaction<Database>,
  dialect: SqlDialect,
  asked: Asked,
): Promise<StoredRequest[]> {
  const { filter, after, limit } = asked;
  const range = {
    // Sums show where requests are, also those that were removed.
    fromMs: Math.max(filter.fromMs ?? 0, await removedBelow(trx)),
    toMs: Math.min(filter.toMs ?? endMs, after === undefined ? endMs : after.createdAt + 1),
  };
  if (range.fromMs >= range.toMs) return [];
  if (isPlain(filter)) return await readPlain(trx, dialect, asked, range);
  const newRows = await findNewRows(trx, dialect.insertionOrder);
  const rows = await readRows(trx, asked, [{ ...range, scope: among(newRows.isNew, newRows.account) }]);
  if (!newRows.isSound) return rows;
  const within = filter.idPrefix === undefined ? range : await rangeOfPrefix(trx, filter.idPrefix);
  if (within !== undefined) {
    const both = {
      fromMs: Math.max(range.fromMs, within.fromMs),
      toMs: Math.min(range.toMs, within.toMs),
    };
    const counted = await readCounted(trx, dialect, asked, both, newRows.openDay);
    rows.push(...counted);
  }
  return newestOf(rows, limit);
}

/** Newest first, in the database's order: ids are compared byte by byte. */
function byPosition(one: StoredRequest, other: StoredRequest): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  return Buffer.compare(Buffer.from(other.id), Buffer.from(one.id));
}

/** The newest of these rows, each once. */
function newestOf(rows: readonly StoredRequest[], limit: number): StoredRequest[] {
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()];
  return distinct.sort(byPosition).slice(0, limit);
}

/** Adds the names of keys and accounts to requests. */
export async function withNames(
  trx: Transaction<Database>,
  requests: readonly StoredRequest[],
): Promise<NamedRequest[]> {
  const keyNames = await namesById(
    trx,
    "api_keys",
    requests.map(({ keyId }) => keyId),
  );
  const accountNames = await namesById(
    trx,
    "accounts",
    requests.map(({ accountId }) => accountId),
  );
  return requests.map((request) => ({
    request,
    keyName: keyNames.get(request.keyId) ?? null,
    accountName: accountNames.get(request.accountId) ?? null,
  }));
}

/** The same filter with the keys that have its labels now, where they are not too many. */
async function byKeys(trx: Transaction<Database>, filter: RequestFilter): Promise<RequestFilter> {
  const { projects, tags, keys } = filter;
  if (projects === undefined && tags === undefined) return filter;
  const found = await findLabelledKeys(trx, filter, labelledKeysMax);
  if (found === undefined) return filter;
  const both = keys === undefined ? found : found.filter((id) => keys.includes(id));
  return { ...filter, projects: undefined, tags: undefined, keys: both };
}

/** A page of the list; shorter than requested only at the end. */
export async function pageRequests(
  db: Kysely<Database>,
  dialect: SqlDialect,
  filter: RequestFilter,
  page: { after?: RequestPosition | undefined; limit: number },
): Promise<NamedRequest[]> {
  const limit = Math.min(Math.max(0, Math.trunc(page.limit)), limitMax);
  return await inOneView(db, async (trx) => {
    const asked = { filter: await byKeys(trx, filter), after: page.after, limit };
    return await withNames(trx, await readPage(trx, dialect, asked));
  });
}

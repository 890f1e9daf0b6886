/**
 * Lists of requests, the newest first, page by page. What is added up says in which half hours there are requests that fit; their rows
 * are read there only, by account or by the ids of those minutes. Rows that are not added up yet are looked through beside them.
 */
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import { slotMs } from "../../domain/time-zone.ts";
import { toRequest } from "../requests.ts";
import type { Database, RequestsTable } from "../schema.ts";
import type { StoredRequest } from "../store.ts";
import type { InsertionOrder } from "./insertion-order.ts";
import type { NamedRequest, RequestFilter, RequestPlace } from "./usage.ts";
import { named } from "./usage-series.ts";
import { candidateSlots } from "./usage-spans.ts";
import { filterRows, findNewRows, inOneView, namesById } from "./usage-sums.ts";

const limitMax = 1_000;
const minuteMs = 60_000;

/** From so many requests in a half hour on it is read minute by minute. */
const slotRowsMax = 5_000;

/** A time beyond all others. */
const endMs = Number.MAX_SAFE_INTEGER - slotMs;

interface Asked {
  readonly filter: RequestFilter;
  readonly after: RequestPlace | undefined;
  readonly limit: number;
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The ids that begin with a text: from it to the last that could. */
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

/** The newest rows of a range of time that fit, beside another condition. */
async function readRows(
  trx: Transaction<Database>,
  asked: Asked,
  { fromMs, toMs }: Range,
  condition: RawBuilder<boolean>,
  account?: RawBuilder<string>,
): Promise<StoredRequest[]> {
  const { rows } = await sql<Selectable<RequestsTable>>`select requests.* from requests
    where ${condition} and requests.created_at >= ${fromMs} and requests.created_at < ${toMs} and ${conditions(asked, account)}
    order by requests.created_at desc, requests.id desc limit ${asked.limit}`.execute(trx);
  return rows.map(toRequest);
}

/** The one account everything that fits is of; undefined where there may be several. */
async function onlyAccount(trx: Transaction<Database>, { filter }: Asked): Promise<string | undefined> {
  const { accounts, keys } = filter;
  if (accounts !== undefined) return accounts.length === 1 ? accounts[0] : undefined;
  if (keys?.length !== 1) return undefined;
  const rows = await trx
    .selectFrom("usage_series")
    .select("account_id")
    .where("kind", "=", named.account + named.key)
    .where("key_id", "=", keys[0] as string)
    .limit(2)
    .execute();
  return rows.length === 1 ? rows[0]?.account_id : undefined;
}

/** The condition under which a range's rows are found without looking at others; undefined when there are none. */
type Finder = (range: Range) => Promise<RawBuilder<boolean> | undefined>;

/** By the least and the greatest id made in the range's minutes. */
function idFinder(trx: Transaction<Database>): Finder {
  return async ({ fromMs, toMs }) => {
    const row = await trx
      .selectFrom("usage_minutes")
      .select((eb) => [eb.fn.min("first_id").as("first"), eb.fn.max("last_id").as("last")])
      .where("minute", ">=", Math.floor(fromMs / minuteMs))
      .where("minute", "<=", Math.floor((toMs - 1) / minuteMs))
      .executeTakeFirst();
    if (row === undefined || row.first === null) return undefined;
    return sql`requests.id >= ${row.first} and requests.id <= ${row.last}`;
  };
}

const accountFinder =
  (account: string): Finder =>
  async () =>
    sql`requests.account_id = ${account}`;

/** A range minute by minute, the newest first. */
function* minutesOf({ fromMs, toMs }: Range): Generator<Range> {
  for (let minute = Math.floor((toMs - 1) / minuteMs); minute * minuteMs >= fromMs; minute--)
    yield { fromMs: minute * minuteMs, toMs: (minute + 1) * minuteMs };
}

/** The half hours that have something, neighbours together as long as they have few requests. */
async function* runsOf(
  slots: AsyncIterable<{ slot: number; requests: number }>,
  limit: number,
): AsyncGenerator<Range & { requests: number }> {
  let run: { fromSlot: number; toSlot: number; requests: number } | undefined;
  const rangeOf = ({ fromSlot, toSlot, requests }: NonNullable<typeof run>) => ({
    fromMs: fromSlot * slotMs,
    toMs: toSlot * slotMs,
    requests,
  });
  for await (const { slot, requests } of slots) {
    if (run !== undefined && run.fromSlot === slot + 1 && run.requests < limit) {
      run = { ...run, fromSlot: slot, requests: run.requests + requests };
      continue;
    }
    if (run !== undefined) yield rangeOf(run);
    run = { fromSlot: slot, toSlot: slot + 1, requests };
  }
  if (run !== undefined) yield rangeOf(run);
}

/** When the requests were made whose ids begin so, of those that are added up; undefined when there are none. */
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

/** Rows that are added up (and perhaps some that are not): enough to fill the page, or all there are. */
async function readCounted(trx: Transaction<Database>, asked: Asked, range: Range): Promise<StoredRequest[]> {
  const account = await onlyAccount(trx, asked);
  const find = account === undefined ? idFinder(trx) : accountFinder(account);
  const found: StoredRequest[] = [];
  for await (const run of runsOf(candidateSlots(trx, asked.filter, range), asked.limit)) {
    const ranges = account === undefined && run.requests > slotRowsMax ? minutesOf(run) : [run];
    for (const { fromMs, toMs } of ranges) {
      const part = { fromMs: Math.max(fromMs, range.fromMs), toMs: Math.min(toMs, range.toMs) };
      if (part.fromMs >= part.toMs) continue;
      const condition = await find(part);
      if (condition === undefined) continue;
      for (const row of await readRows(trx, asked, part, condition)) found.push(row);
      if (found.length >= asked.limit) return found;
    }
  }
  return found;
}

/** Is it a plain list of one account, which its index has in order? */
function isPlain({ accounts, keys, models, states, errorCode, idPrefix }: RequestFilter): boolean {
  const others = [keys, models, states, errorCode, idPrefix];
  return accounts?.length === 1 && others.every((other) => other === undefined);
}

async function readPage(
  trx: Transaction<Database>,
  order: InsertionOrder,
  asked: Asked,
): Promise<StoredRequest[]> {
  const { filter, after, limit } = asked;
  const range = {
    fromMs: filter.fromMs ?? 0,
    toMs: Math.min(filter.toMs ?? endMs, after === undefined ? endMs : after.createdAt + 1),
  };
  if (range.fromMs >= range.toMs) return [];
  if (isPlain(filter)) return await readRows(trx, asked, range, sql`true`);
  const newRows = await findNewRows(trx, order);
  const rows = await readRows(trx, asked, range, newRows.isNew, newRows.account);
  if (!newRows.isSound) return rows;
  const within = filter.idPrefix === undefined ? range : await rangeOfPrefix(trx, filter.idPrefix);
  if (within !== undefined) {
    const counted = await readCounted(trx, asked, {
      fromMs: Math.max(range.fromMs, within.fromMs),
      toMs: Math.min(range.toMs, within.toMs),
    });
    rows.push(...counted);
  }
  const distinct = [...new Map(rows.map((row) => [row.id, row])).values()];
  return distinct.sort(byPlace).slice(0, limit);
}

/** Newest first, as the database orders them: ids are compared byte by byte. */
function byPlace(one: StoredRequest, other: StoredRequest): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt;
  return Buffer.compare(Buffer.from(other.id), Buffer.from(one.id));
}

/** Requests with the names of their keys and accounts. */
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

/** A page of the list; shorter than asked for only where it ends. */
export async function pageRequests(
  db: Kysely<Database>,
  order: InsertionOrder,
  filter: RequestFilter,
  page: { after?: RequestPlace | undefined; limit: number },
): Promise<NamedRequest[]> {
  const limit = Math.min(Math.max(0, Math.trunc(page.limit)), limitMax);
  return await inOneView(db, async (trx) =>
    withNames(trx, await readPage(trx, order, { filter, after: page.after, limit })),
  );
}

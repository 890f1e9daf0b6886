/**
 * What every store must do for the cost explorer: figures are those of the rows. A part of `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Random, seededRandom } from "../../../../../../test/rigs/harness/random.ts";
import { slotMs, zoneStretches } from "../../../../lib/time/time-zone.ts";
import type { RequestRow } from "../../../requests/shapes.ts";
import type { Store } from "../../../store.ts";
import type {
  ExploreGroups,
  ExploreQuestion,
  LatencyGroup,
  LatencyQuestion,
} from "../../../usage/explore-shapes.ts";
import { sampleOf, sampleParts } from "../../../usage/latency-sample.ts";
import type { UsageSums } from "../../../usage/usage.ts";
import type { NewFixture } from "../../fixture.ts";
import { naiveSums } from "../../naive-usage.ts";
import { days, fromMs, maybe, randomFilter, randomRow, record, rollUpAll } from "../../usage-samples.ts";
import { newAccount } from "../money.ts";
import { newUser, plainKey } from "./keys.ts";

/** Keys 1 of each account are of one user, keys 2 of no known user. */
const makerOf = ({ keyId }: RequestRow): string => (keyId.endsWith("_1") ? "usr_1" : "");

/** Labels of keys; one tag is written like the end of another. */
const labels: Readonly<Record<string, { project?: string; tags?: string[] }>> = {
  key_1_1: { project: "search", tags: ["a", 'x","b'] },
  key_1_2: { project: "Search", tags: ["b"] },
  key_2_1: { project: "search", tags: ["b", "a"] },
  key_2_2: { tags: ["A", "\\"] },
  key_3_1: { project: "ads" },
};

const idsOf = (row: RequestRow, by: ExploreGroups): readonly string[] => {
  const isInvented = row.errorCode === "model_not_found" || row.errorCode === "model_not_allowed";
  const ids = {
    model: isInvented ? "" : (row.modelId ?? ""),
    key: row.keyId,
    account: row.accountId,
    operation: row.operation,
    member: makerOf(row),
    project: labels[row.keyId]?.project ?? "",
    upstream: row.upstreamId ?? "",
  };
  return by === "tag" ? (labels[row.keyId]?.tags ?? [""]) : [ids[by]];
};

const upstreams = ["one", "two", null];

async function fill(store: Store, random: Random): Promise<RequestRow[]> {
  for (const account of [1, 2, 3]) {
    await newAccount(store, `acc_${account}`, 0n);
    if (account === 1) await newUser(store, "usr_1", "acc_1");
    for (const [id, createdBy] of [
      [`key_${account}_1`, "usr_1"],
      [`key_${account}_2`, null],
    ] as const) {
      await store.createKey(plainKey(id, `acc_${account}`, { createdBy, ...labels[id] }));
    }
  }
  return Array.from({ length: 240 }, (_, number) => ({
    ...randomRow(random, number),
    upstreamId: random.pick(upstreams),
  }));
}

function randomQuestion(random: Random): ExploreQuestion {
  const zone = random.pick(["UTC", "Europe/Berlin", "Asia/Kolkata"]);
  const first = Math.floor(fromMs / slotMs);
  const from = first + random.int(-5, days * 48);
  const to = from + random.int(1, 200);
  return {
    ...randomFilter(random),
    members: maybe(random, 0.3, () => [random.pick(["usr_1", "", "usr_2"])]),
    projects: maybe(random, 0.2, () => [random.pick(["search", "ads", ""]), random.pick(["Search", ""])]),
    tags: maybe(random, 0.2, () => [random.pick(["a", "b", "A", ""]), random.pick(['x","b', "\\", "B"])]),
    stretches: zoneStretches(zone, from, to),
    previous: random.chance(0.1) ? [] : zoneStretches(zone, from - random.int(1, 200), from),
    grain: random.pick(["day", "hour"]),
    by: random.pick(["model", "key", "account", "operation", "member", "project", "tag", "upstream"]),
    rank: random.pick(["charge", "cost", "requests", "tokens"]),
    top: random.int(1, 4),
    rowsMax: 10_000,
    requestsMax: 10_000,
  };
}

/** Sums of rows by text; a row may have several, or none. */
function naive(
  rows: readonly RequestRow[],
  question: ExploreQuestion,
  textsOf: (row: RequestRow) => readonly string[],
) {
  const { stretches, members, projects, tags } = question;
  const found = new Map<string, RequestRow[]>();
  for (const row of rows) {
    if (members !== undefined && !members.includes(makerOf(row))) continue;
    if (projects !== undefined && !idsOf(row, "project").some((id) => projects.includes(id))) continue;
    if (tags !== undefined && !idsOf(row, "tag").some((id) => tags.includes(id))) continue;
    for (const text of textsOf(row)) found.set(text, [...(found.get(text) ?? []), row]);
  }
  const sums = new Map<string, number[]>();
  for (const [text, some] of found) {
    const [sum] = naiveSums(some, { ...question, stretches, byDay: false, by: "none" });
    if (sum !== undefined) sums.set(text, shown(sum));
  }
  return sums;
}

const shown = (sums: UsageSums): number[] =>
  [sums.requests, sums.complete, sums.cost, sums.withoutCost, sums.outputTokens, sums.durationMs].map(Number);

const sorted = (entries: Iterable<readonly [string, number[]]>): unknown[] =>
  [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));

function spanText(row: RequestRow, { stretches, grain }: ExploreQuestion): string {
  const slot = Math.floor(row.createdAt / slotMs);
  if (grain === "hour") return String(Math.floor((slot - (stretches[0]?.from ?? 0)) / 2));
  const offset = stretches.find(({ from, to }) => slot >= from && slot < to)?.offset ?? 0;
  return String(Math.floor((slot + offset) / 48));
}

async function compare(store: Store, rows: readonly RequestRow[], question: ExploreQuestion): Promise<void> {
  const note = JSON.stringify(question);
  const found = await store.exploreUsage(question);
  assert.ok(typeof found !== "string", note);
  const { by, top } = question;
  const groups = naive(rows, question, (row) => idsOf(row, by));
  assert.deepEqual(sorted(found.groups.map(({ id, sums }) => [id, shown(sums)])), sorted(groups), note);
  const before = { ...question, stretches: question.previous };
  const previous = question.previous.length === 0 ? [] : naive(rows, before, (row) => idsOf(row, by));
  assert.deepEqual(sorted(found.previous.map(({ id, sums }) => [id, shown(sums)])), sorted(previous), note);
  const first = found.groups.slice(0, top).map(({ id }) => id);
  const firstOf = (row: RequestRow) => idsOf(row, by).filter((id) => first.includes(id));
  const parts = naive(rows, question, (row) => firstOf(row).map((id) => `${spanText(row, question)} ${id}`));
  const shownParts = found.parts.map(({ id, span, sums }) => [`${span} ${id}`, shown(sums)] as const);
  assert.deepEqual(sorted(shownParts), sorted(parts), note);
  const firstRows = rows.filter((row) => firstOf(row).length > 0);
  for (const [whole, of] of [
    [found.all, rows],
    [found.first, firstRows],
  ] as const) {
    const spans = naive(of, question, (row) => [spanText(row, question)]);
    assert.deepEqual(
      sorted(whole.spans.map(({ span, sums }) => [String(span), shown(sums)])),
      sorted(spans),
      note,
    );
    const totalOf = (asked: ExploreQuestion) => naive(of, asked, () => [""]).get("") ?? [0, 0, 0, 0, 0, 0];
    assert.deepEqual(shown(whole.total), totalOf(question), note);
    assert.deepEqual(
      shown(whole.previous),
      question.previous.length === 0 ? [0, 0, 0, 0, 0, 0] : totalOf(before),
      note,
    );
  }
}

/** Groups of lists of tags as groups of tags. */
function byTag(groups: readonly LatencyGroup[]): Pick<LatencyGroup, "id" | "durationMs" | "firstTokenMs">[] {
  const tagsOf = ({ id }: LatencyGroup): string[] => (id === "" ? [""] : (JSON.parse(id) as string[]));
  const found = Map.groupBy(
    groups.flatMap((group) => tagsOf(group).map((id) => ({ ...group, id }))),
    ({ id }) => id,
  );
  return [...found].map(([id, some]) => ({
    id,
    durationMs: some.flatMap(({ durationMs }) => durationMs),
    firstTokenMs: some.flatMap(({ firstTokenMs }) => firstTokenMs),
  }));
}

async function compareLatencies(
  store: Store,
  rows: readonly RequestRow[],
  { by, ...rest }: ExploreQuestion,
): Promise<void> {
  const question: LatencyQuestion = { ...rest, by, requestsMax: 10_000 };
  const { groups: all = [] } = (await store.listLatencies(question)) ?? {};
  const found = by === "tag" ? byTag(all) : all;
  const wanted = naive(rows, { ...rest, by }, (row) => idsOf(row, by));
  assert.deepEqual(
    sorted(found.map(({ id, durationMs }) => [id, [durationMs.reduce((sum, ms) => sum + ms, 0)]])),
    sorted(
      [...wanted.keys()].map((id) => {
        const complete = naive(
          rows.filter((row) => row.state === "complete"),
          { ...rest, by },
          (row) => idsOf(row, by),
        );
        return [id, [complete.get(id)?.at(-1) ?? 0]];
      }),
    ),
  );
  const firsts = found.map(({ firstTokenMs }) => firstTokenMs.length);
  assert.ok(firsts.every((count) => count >= 0));
  const { groups: byDay = [] } = (await store.listLatencies({ ...question, by: "day" })) ?? {};
  const asked: ExploreQuestion = { ...rest, by, grain: "day" };
  const wantedDays = naive(rows, asked, (row) => [spanText(row, asked)]);
  assert.deepEqual(byDay.map(({ id }) => id).toSorted(), [...wantedDays.keys()].toSorted());
  const timesIn = (groups: readonly LatencyGroup[]) =>
    groups.reduce((sum, { durationMs }) => sum + durationMs.length, 0);
  assert.equal(timesIn(byDay), timesIn(all), "by tag, too, every request is in one group");
}

/** Checks the sample of one request in three: the times of its cells, each once. */
async function compareSample(
  store: Store,
  rows: readonly RequestRow[],
  accounts: readonly string[] | undefined,
): Promise<void> {
  const inScope = rows.filter(({ accountId }) => accounts === undefined || accounts.includes(accountId));
  // Rows are counted of one account, or of all.
  const counted = accounts?.length === 1 ? inScope : rows;
  const requestsMax = Math.ceil(counted.length / 3);
  const first = fromMs / slotMs;
  const stretches = zoneStretches("UTC", first, first + days * 48);
  const found = await store.listLatencies({ stretches, by: "upstream", accounts, requestsMax });
  assert.equal(found?.oneIn, 3);
  const sums = (times: readonly number[]) => [times.length, times.reduce((sum, ms) => sum + ms, 0)];
  const cells = sampleOf({ fromMs, toMs: fromMs + days * 48 * slotMs }, 3);
  let read = 0;
  for (let part = 0; part < sampleParts; part++) {
    for (const upstream of upstreams) {
      const wanted = inScope.filter(
        ({ upstreamId, state, createdAt }) =>
          upstreamId === upstream &&
          state === "complete" &&
          cells.some((cell) => cell.part === part && createdAt >= cell.fromMs && createdAt < cell.toMs),
      );
      const times: number[] = found.groups
        .filter((group) => group.part === part && group.id === (upstream ?? ""))
        .flatMap(({ durationMs }) => durationMs);
      assert.deepEqual(sums(times), sums(wanted.map(({ durationMs }) => durationMs)));
      read += times.length;
    }
  }
  assert.ok(read > 0);
}

export function exploreBehaviour(newFixture: NewFixture): void {
  test("explored groups, spans and the period before are those of all rows, summed or not", async (context) => {
    const { store } = await newFixture(context);
    const random = seededRandom(71);
    const rows = await fill(store, random);
    for (const [begin, end, piece, copied] of [
      [0, 80, 0, 0],
      [80, 120, 50, 30],
      [120, 240, 90, 100],
    ] as const) {
      await record(store, rows.slice(begin, end));
      if (piece > 0) await store.rollUpUsage(piece);
      if (copied > 0) await store.fillAccountLists(copied, 0);
      for (let count = 0; count < 15; count++) {
        const question = randomQuestion(random);
        await compare(store, rows.slice(0, end), question);
        await compareLatencies(store, rows.slice(0, end), question);
      }
    }
    await rollUpAll(store);
    for (let count = 0; count < 25; count++) {
      const question = randomQuestion(random);
      await compare(store, rows, question);
      await compareLatencies(store, rows, question);
    }
  });

  test("more rows or more requests than allowed are refused, never cut off", async (context) => {
    const { store } = await newFixture(context);
    const random = seededRandom(72);
    const rows = await fill(store, random);
    await record(store, rows);
    await rollUpAll(store);
    const whole: ExploreQuestion = {
      stretches: zoneStretches("UTC", fromMs / slotMs, fromMs / slotMs + days * 48),
      previous: [],
      ...{ grain: "day", by: "model", rank: "charge", top: 2, rowsMax: 100, requestsMax: 240 },
    };
    assert.equal(await store.exploreUsage({ ...whole, rowsMax: 3 }), "tooManyRows");
    assert.equal(await store.exploreUsage({ ...whole, by: "upstream", requestsMax: 239 }), "tooManyRequests");
    assert.ok(typeof (await store.exploreUsage({ ...whole, by: "upstream" })) !== "string");
    const all = await store.listLatencies(whole);
    assert.deepEqual([all?.oneIn, all?.groups.length], [1, 4]);
    // What is read is of the one account only, so its own requests count.
    const own = rows.filter(({ accountId }) => accountId === "acc_1").length;
    const ofOne = { ...whole, accounts: ["acc_1"] };
    assert.equal((await store.listLatencies({ ...ofOne, requestsMax: own }))?.oneIn, 1);
    assert.equal((await store.listLatencies({ ...ofOne, requestsMax: own - 1 }))?.oneIn, 2);
  });

  test("groups have the names and, for members, the keys they stand for", async (context) => {
    const { store } = await newFixture(context);
    const random = seededRandom(73);
    await record(store, await fill(store, random));
    const question = { ...randomQuestion(random), accounts: ["acc_1"], keys: undefined, models: undefined };
    const asked = {
      ...question,
      ...{ members: undefined, operations: undefined, projects: undefined, tags: undefined, top: 5 },
      stretches: zoneStretches("UTC", fromMs / slotMs, fromMs / slotMs + days * 48),
    };
    const found = await store.exploreUsage({ ...asked, by: "member" });
    assert.ok(typeof found !== "string");
    const keys = found.groups.map(({ id, keys: made }) => [id, made] as const);
    assert.deepEqual(keys.toSorted(), [
      ["", ["key_1_2"]],
      ["usr_1", ["key_1_1"]],
    ]);
    const names = found.groups.find(({ id }) => id === "usr_1");
    assert.ok(names?.name !== null && names?.name !== "");
    const byKey = await store.exploreUsage({ ...asked, by: "key" });
    assert.ok(typeof byKey !== "string" && byKey.groups.every(({ name }) => name !== null));
  });
}

export function sampledLatencyBehaviour(newFixture: NewFixture): void {
  test("of more requests the times of a sample are read, summed or not", async (context) => {
    const { store } = await newFixture(context);
    const rows = await fill(store, seededRandom(74));
    for (const [end, piece, copied] of [
      [90, 0, 0],
      [150, 100, 80],
      [240, 200, 200],
    ] as const) {
      await record(store, rows.slice(0, end));
      if (piece > 0) await store.rollUpUsage(piece);
      if (copied > 0) await store.fillAccountLists(copied, 0);
      for (const accounts of [undefined, ["acc_1"], ["acc_1", "acc_2"]])
        await compareSample(store, rows.slice(0, end), accounts);
    }
  });
  test("a sample that would be far too large, because one moment has most requests, is refused", async (context) => {
    const { store } = await newFixture(context);
    const [cell] = sampleOf({ fromMs, toMs: fromMs + days * 48 * slotMs }, 12);
    const rows = await fill(store, seededRandom(75));
    const moment = rows.slice(0, 60).map((row) => ({
      ...row,
      ...{ createdAt: cell?.fromMs ?? 0, state: "complete" as const, errorCode: null },
    }));
    const first = fromMs / slotMs;
    const stretches = zoneStretches("UTC", first, first + days * 48);
    await record(store, moment);
    const isRefused = async () =>
      (await store.listLatencies({ stretches, by: "model", requestsMax: 5 })) === undefined;
    assert.ok(await isRefused(), "not summed yet");
    await rollUpAll(store);
    assert.ok(await isRefused(), "summed");
    assert.equal((await store.listLatencies({ stretches, by: "model", requestsMax: 60 }))?.oneIn, 1);
  });
}

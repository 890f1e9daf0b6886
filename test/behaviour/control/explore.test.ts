/** The cost explorer over real HTTP: sums equal the ledger, accounts never see each other, bounds hold. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { formatUsd, nanoUsd, parseUsd } from "@plaza/contract/money.ts";
import type { RequestRow } from "../../../server/src/store/requests/shapes.ts";
import { requestRow } from "../../../server/src/store/testing/behaviour/requests.ts";
import { rollUpAll } from "../../../server/src/store/testing/usage-samples.ts";
import { seededRandom } from "../../rigs/harness/random.ts";
import { type ConsoleRig, startConsole } from "../harness/console-rig.ts";

const dayMs = 86_400_000;
/** A night on which Berlin's clocks go forward. */
const fromMs = Date.parse("2026-03-29T00:00:00Z");
const iso = (ms: number): string => new Date(ms).toISOString();
const rangeOf = (from: number, to: number): string => `from=${iso(from)}&to=${iso(to)}`;
const week = rangeOf(fromMs, fromMs + 7 * dayMs);

const models = ["m/1", "m/2", "m/3", "m/4", "m/5"];

/** Two weeks of paid requests of both accounts; the last third is not summed. */
async function start(context: Parameters<typeof startConsole>[0]): Promise<ConsoleRig> {
  const rig = await startConsole(context);
  const random = seededRandom(5);
  await rig.store.openHolder("h1");
  const accounts = [rig.accountA, rig.accountB];
  for (const accountId of accounts) {
    await rig.store.addEntry({ accountId, kind: "topup", amount: nanoUsd(40_000_000n) });
  }
  for (let number = 1; number <= 150; number++) {
    const charge = BigInt(random.int(0, 1_000_000));
    const accountId = random.pick(accounts);
    const row: RequestRow = requestRow(number, {
      ...{ accountId, keyId: `key_${accountId === rig.accountA ? random.int(1, 2) : 3}` },
      createdAt: fromMs - 7 * dayMs + random.int(0, 14 * dayMs - 1),
      modelId: random.pick(models),
      upstreamId: random.pick(["one", "two"]),
      firstTokenMs: random.int(1, 900),
      durationMs: random.int(1_000, 9_000),
      ...{ charge: nanoUsd(charge), cost: random.chance(0.2) ? null : nanoUsd(charge / 2n) },
    });
    await rig.store.recordRequest(row, {
      holderId: "h1",
      account: { fromLease: nanoUsd(charge), release: nanoUsd(0n) },
    });
    if (number === 100) await rollUpAll(rig.store);
  }
  return rig;
}

interface Sums {
  readonly total: Record<string, string | number>;
  readonly previous: Record<string, string | number>;
  readonly spans: Record<string, (string | number)[]>;
}

const nanosOf = (text: unknown): bigint => {
  const given = String(text);
  return given.startsWith("-") ? -parseUsd(given.slice(1)) : parseUsd(given);
};
const add = (texts: readonly unknown[]): bigint =>
  texts.reduce((sum: bigint, text) => sum + nanosOf(text), 0n);
const count = (numbers: readonly unknown[]): number =>
  numbers.reduce((sum: number, one) => sum + Number(one), 0);

/** Groups and the rest add up to everything, over the period, the period before, and every span. */
function assertAddsUp(body: { groups: Sums[]; other: Sums | null; all: Sums; spans: string[] }): void {
  const parts = body.other === null ? body.groups : [...body.groups, body.other];
  const money = ["charge", "loss", ...("cost" in body.all.total ? ["cost", "margin"] : [])];
  for (const period of ["total", "previous"] as const) {
    for (const field of money) {
      assert.equal(add(parts.map((part) => part[period][field])), nanosOf(body.all[period][field]), field);
    }
    for (const field of ["requests", "inputTokens", "outputTokens", "complete"])
      assert.equal(count(parts.map((part) => part[period][field])), body.all[period][field], field);
  }
  for (const at of body.spans.keys()) {
    const here = (one: Sums, field: string) => one.spans[field]?.[at];
    assert.equal(add(parts.map((part) => here(part, "charge"))), nanosOf(here(body.all, "charge")));
    assert.equal(count(parts.map((part) => here(part, "tokens"))), here(body.all, "tokens"));
  }
  assert.equal(add(body.all.spans["charge"] ?? []), nanosOf(body.all.total["charge"]));
  assert.equal(count(body.all.spans["requests"] ?? []), body.all.total["requests"]);
}

async function ledgerCharge(rig: ConsoleRig, accounts: readonly string[], from: number, to: number) {
  let sum = 0n;
  for (const accountId of accounts) {
    for (const { kind, amount, requestId } of await rig.store.listEntries({ accountId, limit: 1_000 })) {
      if (kind !== "charge" || requestId === undefined || requestId === null) continue;
      const createdAt = (await rig.store.findRequest(requestId))?.request.createdAt ?? 0;
      if (createdAt >= from && createdAt < to) sum -= amount;
    }
  }
  return sum;
}

test("what is explored equals the ledger of the period, by any group, and groups add up", async (context) => {
  const rig = await start(context);
  const end = fromMs + 7 * dayMs;
  const own = await ledgerCharge(rig, [rig.accountA], fromMs, end);
  const ownBefore = await ledgerCharge(rig, [rig.accountA], fromMs - 7 * dayMs, fromMs);
  assert.ok(own > 0n && ownBefore > 0n);
  for (const by of ["model", "key", "member", "operation", "project"]) {
    for (const grain of ["day", "hour"]) {
      const path = `/usage/explore?${week}&by=${by}&grain=${grain}&top=2`;
      const { status, body } = await rig.as("member").call("GET", path);
      assert.equal(status, 200, path);
      assert.equal(body.all.total.charge, formatUsd(nanoUsd(own)), path);
      assert.equal(body.all.previous.charge, formatUsd(nanoUsd(ownBefore)), path);
      assert.equal(body.spans.length, grain === "day" ? 7 : 7 * 24);
      assertAddsUp(body);
      assert.ok(!("cost" in body.all.total), "an account never sees costs");
    }
  }
  const all = await ledgerCharge(rig, [rig.accountA, rig.accountB], fromMs, end);
  for (const by of ["model", "account", "upstream", "member"]) {
    const { body } = await rig.as("operator").call("GET", `/operator/usage/explore?${week}&by=${by}&top=1`);
    assert.equal(body.all.total.charge, formatUsd(nanoUsd(all)), by);
    const { charge, loss, cost, margin } = body.all.total;
    assert.equal(nanosOf(margin), nanosOf(charge) - nanosOf(loss) - nanosOf(cost));
    assert.ok(body.all.total.withoutCost > 0, "it says how much is not known");
    assert.equal(body.source, by === "upstream" ? "requests" : "sums");
    assertAddsUp(body);
  }
});

test("usage by project and by tag is that of the rows, and of their keys whatever became of them", async (context) => {
  const rig = await start(context);
  const labels = {
    key_1: ["search", ["batch", "blue"]],
    key_2: ["search", ["blue"]],
    key_3: [null, []],
  } as const;
  const none = { models: null, requestsPerMinute: null, tokensPerMinute: null, concurrency: null };
  for (const [id, [project, tags]] of Object.entries(labels)) {
    const accountId = id === "key_3" ? rig.accountB : rig.accountA;
    const key = {
      ...none,
      id,
      accountId,
      name: id,
      visiblePrefix: id,
      digest: id.padEnd(64, "0"),
      budget: null,
    };
    await rig.store.createKey({ ...key, expiresAt: null, project, tags });
  }
  await rig.store.setKeyStatus("key_1", "revoked");
  await rig.store.setKeyStatus("key_2", "disabled");
  const db = new DatabaseSync(rig.file, { readOnly: true });
  context.after(() => db.close());
  const rowsBy = (label: string, from: number): unknown[] =>
    db
      .prepare(`select ${label} as id, count(*) as requests, sum(charge_nanos) as charge
        from requests r join api_keys k on k.id = r.key_id left join json_each(k.tags) t
        where r.created_at >= ? and r.created_at < ? group by 1 order by 1`)
      .all(from, from + 7 * dayMs)
      .map((row) => ({ ...row }));
  // By project a row of two tags stands there twice.
  const queries = {
    tag: "coalesce(t.value, '')",
    project: "case when t.key > 0 then 'twice' else coalesce(k.project, '') end",
  };
  const ask = async (query: string) =>
    (await rig.as("operator").call("GET", `/operator/usage/explore?${week}&${query}`)).body;
  const { all } = await ask("by=model");
  for (const [by, label] of Object.entries(queries)) {
    const body = await ask(`by=${by}&grain=hour`);
    const shown = (period: "total" | "previous") =>
      (body.groups as (Sums & { id: string })[])
        .map(({ id, ...sums }) => ({
          ...{ id, requests: sums[period]["requests"], charge: Number(nanosOf(sums[period]["charge"])) },
        }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const isOnce = (row: unknown) => (row as { id: string }).id !== "twice";
    assert.deepEqual(shown("total"), rowsBy(label, fromMs).filter(isOnce), by);
    assert.deepEqual(shown("previous"), rowsBy(label, fromMs - 7 * dayMs).filter(isOnce), by);
    assert.deepEqual([body.all.total, body.all.previous], [all.total, all.previous], by);
    assert.deepEqual([body.overlaps, body.other], [by === "tag", null]);
    const { body: requests } = await rig
      .as("operator")
      .call("GET", `/operator/requests?${week}&limit=500&${by}=${by === "tag" ? "blue" : "search"}`);
    const group = body.groups.find(({ id }: { id: string }) => id === "blue" || id === "search");
    assert.equal(requests.requests.length, group.total.requests, "a group leads to its requests");
  }
  // Of what has none of the tags that are shown, each request once.
  const first = await ask("by=tag&top=1");
  assert.equal(first.groups[0].id, "blue");
  assert.equal(first.other.total.requests, all.total.requests - first.groups[0].total.requests);
  assert.equal(count(first.other.spans.requests), first.other.total.requests);
  const { body: latency } = await rig.as("operator").call("GET", `/operator/usage/latency?${week}&by=tag`);
  assert.equal(latency.all.duration.count, all.total.requests);
  const batch = latency.groups.find(({ id }: { id: string }) => id === "batch");
  assert.equal(batch.duration.count, (await ask("tag=batch")).all.total.requests);
  const { body: csv } = await rig.as("member").call("GET", `/usage/explore.csv?${week}&by=tag`);
  assert.ok((csv as string).includes(",blue,") && (csv as string).includes(",batch,"));
  const { body: sums } = await rig.as("member").call("GET", `/usage?${week}&project=search&tag=batch`);
  assert.equal(sums.total.requests, batch.duration.count);
});

test("no query of a member shows another account's usage, and the operator's routes are the operator's", async (context) => {
  const rig = await start(context);
  const { accountB } = rig;
  const widest = `${rangeOf(fromMs - 7 * dayMs, fromMs + 7 * dayMs)}&account=${accountB}`;
  const { body } = await rig.as("member").call("GET", `/usage/explore?${widest}&by=key`);
  assert.deepEqual(body.groups.map(({ id }: { id: string }) => id).toSorted(), ["key_1", "key_2"]);
  const ofOther = await rig.as("member").call("GET", `/usage/explore?${widest}&key=key_3`);
  assert.deepEqual([ofOther.body.groups, ofOther.body.all.total.requests], [[], 0]);
  const { body: latency } = await rig
    .as("member")
    .call("GET", `/usage/latency?${week}&by=key&account=${accountB}`);
  assert.deepEqual(latency.groups.map(({ id }: { id: string }) => id).toSorted(), ["key_1", "key_2"]);
  const { body: csv } = await rig.as("member").call("GET", `/usage/explore.csv?${widest}&by=key`);
  assert.ok(!(csv as string).includes("key_3") && !(csv as string).includes("cost"));
  for (const path of ["/usage/explore", "/usage/explore.csv", "/usage/latency"]) {
    assert.equal((await rig.as("owner").call("GET", `/operator${path}?${week}`)).status, 403, path);
    const refused = await rig.as("owner").call("GET", `${path}?${week}&by=upstream`);
    assert.equal(refused.status, 400, "upstreams are the operator's");
  }
});

test("the period before is as long by the clocks, and no longer than what has passed of this one", async (context) => {
  const rig = await start(context);
  const ask = async (query: string) => (await rig.as("member").call("GET", `/usage/explore?${query}`)).body;
  // A day of 23 hours is compared with the whole day before it, from midnight to midnight.
  const spring = await ask("from=2026-03-28T23:00:00Z&to=2026-03-29T22:00:00Z&timeZone=Europe/Berlin");
  assert.deepEqual(spring.previous, { from: "2026-03-27T23:00:00.000Z", to: "2026-03-28T23:00:00.000Z" });
  const whole = await ask(`${week}&timeZone=Europe/Berlin`);
  assert.equal(whole.previous.to, whole.from);
  // Today is compared with as much of yesterday as has passed, to the half hour.
  const nowMs = rig.clock.wallMs();
  const today = nowMs - (nowMs % dayMs);
  const lasting = await ask(`${rangeOf(today, today + dayMs)}&grain=hour`);
  const passedMs = Date.parse(lasting.previous.to) - Date.parse(lasting.previous.from);
  assert.equal(lasting.previous.from, iso(today - dayMs));
  const readMs = Date.parse(lasting.asOf) - today;
  assert.equal(passedMs, Math.min(dayMs, Math.ceil(readMs / 1_800_000) * 1_800_000));
  assert.ok(
    lasting.spans.every((span: string) => span <= lasting.asOf),
    "hours to come have no figures",
  );
});

test("latency is told in percentiles and histograms that count every request once", async (context) => {
  const rig = await start(context);
  const { body } = await rig.as("operator").call("GET", `/operator/usage/latency?${week}&by=upstream`);
  const rows: RequestRow[] = (await rig.store.listRequests({ limit: 1_000 })).filter(
    ({ createdAt }) => createdAt >= fromMs && createdAt < fromMs + 7 * dayMs,
  );
  const sorted = rows.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other);
  assert.equal(body.all.duration.count, rows.length);
  assert.equal(body.all.duration.p50, sorted[Math.ceil(rows.length * 0.5) - 1]);
  assert.equal(body.all.duration.p99, sorted[Math.ceil(rows.length * 0.99) - 1]);
  assert.equal(
    count(body.groups.map((group: { duration: { count: number } }) => group.duration.count)),
    rows.length,
  );
  for (const [name, textOf] of [
    ["duration", (row: RequestRow) => row.durationMs],
    ["firstToken", (row: RequestRow) => row.firstTokenMs ?? 0],
  ] as const) {
    for (const bucket of body.histograms[name]) {
      const within = rows.filter((row) => textOf(row) >= bucket.fromMs && textOf(row) < bucket.toMs);
      assert.equal(bucket.count, within.length, `${name} from ${bucket.fromMs}`);
    }
    assert.equal(count(body.histograms[name].map((bucket: { count: number }) => bucket.count)), rows.length);
  }
});

test("latency by day names the days of the time zone, also one of 23 hours", async (context) => {
  const rig = await start(context);
  const range = rangeOf(Date.parse("2026-03-28T23:00:00Z"), Date.parse("2026-03-30T22:00:00Z"));
  const { body } = await rig
    .as("operator")
    .call("GET", `/operator/usage/latency?${range}&timeZone=Europe/Berlin&by=day`);
  const days: string[] = body.groups.map(({ id }: { id: string }) => id);
  assert.deepEqual(days.toSorted(), ["2026-03-29", "2026-03-30"]);
  const rows = await rig.store.listRequests({ limit: 1_000 });
  const endMs = Date.parse("2026-03-29T22:00:00Z");
  const first = rows.filter(({ createdAt }) => createdAt >= endMs - 23 * 3_600_000 && createdAt < endMs);
  const sunday = body.groups.find(({ id }: { id: string }) => id === "2026-03-29");
  assert.equal(sunday.duration.count, first.length);
});

test("the download has the figures of the page, and they add up to the same", async (context) => {
  const rig = await start(context);
  const query = `${week}&by=model&top=2`;
  const { body } = await rig.as("operator").call("GET", `/operator/usage/explore?${query}`);
  const { body: csv } = await rig.as("operator").call("GET", `/operator/usage/explore.csv?${query}`);
  const [head = "", ...lines] = (csv as string).split("\r\n").slice(0, -1);
  const at = head.split(",").indexOf("charge_usd");
  assert.equal(add(lines.map((line) => line.split(",")[at])), nanosOf(body.all.total.charge));
  assert.deepEqual(new Set(lines.map((line) => line.split(",")[1])).size, 3);
});

test("periods that are too long for what is asked are refused beside their field", async (context) => {
  const rig = await start(context);
  const refused = async (path: string, days: number): Promise<[number, string]> => {
    const query = `${rangeOf(fromMs, fromMs + days * dayMs)}${path.includes("?") ? "" : "&"}`;
    const [base, more = ""] = path.split("?");
    const { status, body } = await rig.as("operator").call("GET", `${base}?${query}&${more}`);
    return [status, body.error?.param ?? ""];
  };
  assert.deepEqual(await refused("/operator/usage/explore", 367), [400, "from"]);
  assert.deepEqual(await refused("/operator/usage/explore?grain=hour", 32), [400, "from"]);
  assert.deepEqual(await refused("/operator/usage/explore?by=upstream", 8), [400, "from"]);
  assert.deepEqual(await refused("/operator/usage/latency", 93), [400, "from"]);
  assert.equal((await refused("/operator/usage/latency", 92))[0], 200);
  assert.equal((await refused("/operator/usage/explore", 366))[0], 200);
  assert.equal((await refused("/operator/usage/explore?grain=hour", 31))[0], 200);
  for (const more of ["top=51", "top=0", "rank=margin", "by=ip", "grain=minute"])
    assert.equal((await refused(`/operator/usage/explore?${more}`, 1))[0], 400, more);
});

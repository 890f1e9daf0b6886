/**
 * What every store must do with slices of rate limits: lend them exactly and get them back. A part of
 * `behaviour.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partsPerUnit, type SliceAsk, type SliceGrant } from "../../../domain/limits/limit.ts";
import type { SliceReply } from "../../limits/slice-shapes.ts";
import type { Store } from "../../store.ts";
import type { NewFixture } from "../fixture.ts";

const rate = (limit: number, over: Partial<SliceAsk> = {}): SliceAsk => ({
  subject: "key:key_1:rpm",
  isSlots: false,
  limit,
  spent: 0,
  holds: 0,
  least: 1,
  need: 1,
  elapsedMs: 0,
  ...over,
});

const slots = (limit: number, over: Partial<SliceAsk> = {}): SliceAsk =>
  rate(limit, { subject: "all::conc", isSlots: true, ...over });

function grantsOf(reply: SliceReply): readonly SliceGrant[] {
  if (reply.status !== "granted") assert.fail("fenced");
  return reply.grants;
}

async function takeOne(store: Store, holderId: string, ask: SliceAsk): Promise<SliceGrant> {
  return grantsOf(await store.takeSlices(holderId, [ask]))[0] as SliceGrant;
}

function lending(newFixture: NewFixture): void {
  test("slices never add up to more than the limit, however many processes ask at once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const stores = [store, await reopen(), await reopen()];
    await Promise.all(stores.map((one, index) => one.openHolder(`h${index}`)));
    const asks = Array.from({ length: 60 }, (_, index) => index);
    const held = [0, 0, 0];
    await Promise.all(
      stores.map(async (one, index) => {
        for (const _ of asks) {
          const holds = held[index] as number;
          held[index] = (await takeOne(one, `h${index}`, rate(100, { holds, elapsedMs: 0 }))).slice;
        }
      }),
    );
    assert.equal(
      held.reduce((sum, one) => sum + one, 0),
      100,
    );
    const last = await takeOne(store, "h0", rate(100, { holds: held[0] as number, need: 0 }));
    assert.deepEqual([last.outstanding, last.used], [100, 0]);
  });

  test("several subjects in one call, each for itself; what is spent is used, the rest goes back", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("h1");
    const tokens = rate(1_000, { subject: "model:m:tpm", need: 500, least: 500 });
    const reply = await store.takeSlices("h1", [slots(2, { need: 2 }), tokens, rate(1)]);
    assert.equal(reply.status === "granted" && reply.holders, 1);
    const [places, some, one] = grantsOf(reply);
    assert.deepEqual([places?.granted, some?.granted, one?.granted], [2, 500, 1]);
    const after = await store.takeSlices("h1", [
      slots(2, { holds: 2 }),
      { ...tokens, spent: 400, holds: 0, need: 0 },
      rate(1, { spent: 1 }),
    ]);
    const [full, spent, none] = grantsOf(after);
    assert.deepEqual(full, { granted: 0, slice: 2, used: 0, outstanding: 2 });
    assert.deepEqual(spent, { granted: 0, slice: 0, used: 400 * partsPerUnit, outstanding: 0 });
    assert.equal(none?.granted, 0);
    assert.equal((await takeOne(store, "h1", slots(2, { holds: 1 }))).slice, 2);
  });

  test("more used than was lent is a debt", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("h1");
    const tokens = rate(100, { subject: "key:key_1:tpm", need: 0, spent: 250 });
    assert.equal((await takeOne(store, "h1", tokens)).used, 250 * partsPerUnit);
    assert.equal((await takeOne(store, "h1", { ...tokens, spent: 0, need: 1 })).granted, 0);
  });

  test("time refills by the database's clock", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("h1");
    const fast = rate(600_000, { need: 0, spent: 600_000 });
    const { used } = await takeOne(store, "h1", fast);
    assert.equal(used, 600_000 * partsPerUnit);
    // A process that has never asked fully trusts the database's clock; ten units per millisecond come back.
    let granted = 0;
    while (granted === 0) {
      granted = (await takeOne(store, "h1", rate(600_000, { elapsedMs: null }))).granted;
    }
    assert.ok(granted >= 1);
  });
}

function leaving(newFixture: NewFixture): void {
  test("who is not alive gets nothing, and nothing it says counts", async (context) => {
    const { store } = await newFixture(context);
    assert.deepEqual(await store.takeSlices("h1", [rate(5, { spent: 5 })]), { status: "fenced" });
    await store.openHolder("h1");
    assert.equal((await takeOne(store, "h1", rate(5))).used, 0);
    await store.closeHolder("h1");
    assert.deepEqual(await store.takeSlices("h1", []), { status: "fenced" });
  });

  test("a process that ends gives its slots back; its slices of a rate count as used", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await store.openHolder("h1");
    await store.openHolder("h2");
    const subjects = Array.from({ length: 600 }, (_, index) => `key:key_${index}:rpm`);
    const asks = subjects.map((subject) => rate(3, { subject, need: 2 }));
    for (const part of [asks.slice(0, 300), asks.slice(300)]) await store.takeSlices("h1", part);
    await takeOne(store, "h1", slots(4, { need: 3 }));
    const asked = await other.takeSlices("h2", [slots(4, { need: 4, least: 4 })]);
    assert.deepEqual([asked.status === "granted" && asked.holders, grantsOf(asked)[0]?.granted], [2, 0]);
    await other.closeHolder("h1");
    assert.equal((await takeOne(other, "h2", slots(4, { need: 4, least: 4 }))).granted, 4);
    const left = grantsOf(
      await other.takeSlices(
        "h2",
        asks.slice(0, 400).map((ask) => ({ ...ask, need: 3 })),
      ),
    );
    assert.ok(left.every(({ granted, used }) => granted === 1 && used === 2 * partsPerUnit));
  });

  test("idle buckets are forgotten with a heartbeat, those in use are not", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("h1");
    const subjects = Array.from({ length: 700 }, (_, index) => `key:key_${index}:conc`);
    for (const part of [subjects.slice(0, 350), subjects.slice(350)]) {
      await store.takeSlices(
        "h1",
        part.map((subject) => slots(9, { subject })),
      );
    }
    const released = subjects.slice(1, 400).map((subject) => slots(9, { subject, need: 0 }));
    await store.takeSlices("h1", released);
    await takeOne(store, "h1", rate(5, { spent: 5, need: 0 }));
    // Another millisecond must have begun.
    const startedMs = Date.now();
    while (Date.now() <= startedMs + 1) await store.ping();
    assert.equal(await store.heartbeat("h1"), true);
    assert.equal(
      (await takeOne(store, "h1", slots(9, { subject: subjects[0] as string, holds: 1 }))).outstanding,
      2,
    );
    assert.equal((await takeOne(store, "h1", rate(5))).granted, 0);
  });
}

export function limitBehaviour(newFixture: NewFixture): void {
  lending(newFixture);
  leaving(newFixture);
}

/** What every store must do with lists of requests. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import { seededRandom } from "../../../../../../test/rigs/harness/random.ts";
import type { RequestRow } from "../../../requests/shapes.ts";
import type { Store } from "../../../store.ts";
import type { RequestFilter, RequestPosition } from "../../../usage/usage.ts";
import type { NewFixture } from "../../fixture.ts";
import { naivePage } from "../../naive-usage.ts";
import {
  days,
  errors,
  fromMs,
  maybe,
  randomFilter,
  randomRow,
  record,
  rollUpAll,
  states,
} from "../../usage-samples.ts";
import { requestRow } from "../requests.ts";

function randomList(random: ReturnType<typeof seededRandom>, rows: readonly RequestRow[]): RequestFilter {
  const time = () => fromMs + random.int(0, days * 86_400_000);
  const from = time();
  return {
    ...randomFilter(random),
    states: maybe(random, 0.3, () => [random.pick(states), random.pick(states)]),
    errorCode: maybe(random, 0.2, () => random.pick(errors)),
    idPrefix: maybe(random, 0.2, () => random.pick(rows).id.slice(0, random.int(1, 12))),
    fromMs: maybe(random, 0.4, () => from),
    toMs: maybe(random, 0.4, () => from + random.int(0, 5 * 86_400_000)),
  };
}

/** All pages of a list. */
async function allPages(store: Store, filter: RequestFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: RequestPosition | undefined; ; ) {
    const page = await store.pageRequests(filter, { after, limit });
    ids.push(...page.map(({ request }) => request.id));
    const last = page.at(-1)?.request;
    if (page.length < limit || last === undefined) return ids;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

export function requestListBehaviour(newFixture: NewFixture): void {
  test("pages have every request that fits, once and in order, wherever the adding up has got to", async (context) => {
    const { store } = await newFixture(context);
    const random = seededRandom(31);
    // Several per millisecond, so that a page may end between them.
    const rows = Array.from({ length: 220 }, (_, number) => {
      const row = randomRow(random, number);
      return { ...row, createdAt: row.createdAt - (number % 3 === 0 ? row.createdAt % 3_600_000 : 0) };
    });
    for (const [end, piece] of [
      [100, 0],
      [150, 60],
      [220, 500],
    ] as const) {
      await record(store, rows.slice(end === 100 ? 0 : end === 150 ? 100 : 150, end));
      if (piece > 0) await store.rollUpUsage(piece);
      for (let count = 0; count < 25; count++) {
        const recorded = rows.slice(0, end);
        const filter = randomList(random, recorded);
        const expected = naivePage(recorded, filter).map(({ id }) => id);
        assert.deepEqual(await allPages(store, filter, random.int(3, 40)), expected, JSON.stringify(filter));
      }
    }
  });

  test("requests of one half hour are listed once, those that are added up and those that are not", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 12 }, (_, number) =>
      requestRow(number, { accountId: "acc_1", createdAt: fromMs + number }),
    );
    await record(store, rows.slice(0, 6));
    await rollUpAll(store);
    await record(store, rows.slice(6));
    const expected = rows.map(({ id }) => id).reverse();
    for (const filter of [{ states: ["complete" as const] }, { accounts: ["acc_1"], keys: ["key_1"] }]) {
      const page = await store.pageRequests(filter, { limit: 100 });
      assert.deepEqual(
        page.map(({ request }) => request.id),
        expected,
      );
    }
  });

  test("a page begins behind a place while newer requests come in", async (context) => {
    const { store } = await newFixture(context);
    const rows = Array.from({ length: 30 }, (_, number) =>
      requestRow(number, { createdAt: fromMs + number }),
    );
    await record(store, rows.slice(0, 20));
    const first = await store.pageRequests({}, { limit: 8 });
    await record(store, rows.slice(20));
    await rollUpAll(store);
    const last = first.at(-1)?.request ?? assert.fail("no page");
    const second = await store.pageRequests({}, { after: last, limit: 100 });
    const ids = [...first, ...second].map(({ request }) => request.id);
    const expected = rows.slice(0, 20).map(({ id }) => id);
    assert.deepEqual(ids, expected.reverse());
  });

  test("a request is found with the names of its key and account", async (context) => {
    const { store } = await newFixture(context);
    await store.createAccount({ id: "acc_1", name: "Ann", balance: nanoUsd(0n) });
    await store.recordRequest(requestRow(1, { accountId: "acc_1" }));
    const found = await store.findNamedRequest("req_000000001");
    assert.deepEqual([found?.request.id, found?.keyName, found?.accountName], ["req_000000001", null, "Ann"]);
    assert.equal(await store.findNamedRequest("req_absent"), undefined);
  });
}

/** What every store must do for a process that waits for what others write. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nanoUsd } from "@plaza/contract/money.ts";
import type { News } from "../../operation/news-shapes.ts";
import type { NewFixture } from "../fixture.ts";

const models = { down: ["m ü"], degraded: [], served: [] };
const account = (id: string) => ({ id, name: id, balance: nanoUsd(0n) });
/** Longer than any test waits for an answer that must come without a change. */
const longMs = 60_000;

const subjects = ({ changes }: News) => changes.map(({ subject }) => subject);

export function newsBehaviour(newFixture: NewFixture): void {
  test("a process that waits hears of a change another store wrote, and of what was written before at once", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const { reportsMark: reports } = await store.waitForNews({ changeId: 0, reports: "" }, 0);
    const waiting = store.waitForNews({ changeId: 0, reports }, longMs);
    await other.createAccount(account("acc_1"));
    await other.setAccountStatus("acc_1", "suspended");
    const first = await waiting;
    assert.ok(first.changes.length > 0 && subjects(first).every((subject) => subject === "acc_1"));
    assert.equal(first.reports, undefined);
    await other.setAccountStatus("acc_1", "active");
    const changeId = first.changes.at(-1)?.id as number;
    const next = await store.waitForNews({ changeId, reports }, longMs);
    assert.deepEqual(next.changes, await store.listChanges(changeId));
    assert.ok(next.changes.length > 0);
  });

  test("a process that waits hears what processes say of models when it is something else, and when one has gone", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await store.openHolder("hld_1");
    await other.openHolder("hld_2");
    const none = await store.waitForNews({ changeId: 0, reports: "" }, 0);
    assert.deepEqual(none.reports, []);
    const known = { changeId: await store.lastChangeId(), reports: none.reportsMark };
    const waiting = store.waitForNews(known, longMs);
    await other.publishUpstreamStates("hld_2", [], undefined, models);
    const said = await waiting;
    assert.deepEqual(said.reports, [{ process: "hld_2", models }]);
    const now = { ...known, reports: said.reportsMark };
    // The same report again is not news.
    await other.publishUpstreamStates("hld_2", [], undefined, models);
    assert.deepEqual(await store.waitForNews(now, 0), {
      changes: [],
      reports: undefined,
      reportsMark: said.reportsMark,
    });
    const going = store.waitForNews(now, longMs);
    await other.closeHolder("hld_2");
    assert.deepEqual((await going).reports, []);
  });

  test("a process that waits in vain is told so when the time is over, and when the store is closed", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const { reportsMark } = await store.waitForNews({ changeId: 0, reports: "" }, 0);
    const nothing = { changes: [], reports: undefined, reportsMark };
    assert.deepEqual(await store.waitForNews({ changeId: 0, reports: reportsMark }, 300), nothing);
    const waiting = other.waitForNews({ changeId: 0, reports: reportsMark }, longMs);
    await other.ping();
    await other.close();
    assert.deepEqual(await waiting, nothing);
  });
}

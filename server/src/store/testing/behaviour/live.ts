/** What every store must do for the live view. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfLiveViewers } from "../../operation/news-shapes.ts";
import type { NewFixture } from "../fixture.ts";

export function liveBehaviour(newFixture: NewFixture): void {
  test("live samples are replaced, and the history only where one is given", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await store.publishLiveSample("p1", '{"n":1}', "[1]");
    await other.publishLiveSample("p2", '{"n":"ü"}');
    await store.publishLiveSample("p1", '{"n":2}');
    const samples = await other.listLiveSamples();
    assert.deepEqual(
      samples.map(({ process, sample }) => [process, sample]),
      [
        ["p1", '{"n":2}'],
        ["p2", '{"n":"ü"}'],
      ],
    );
    assert.ok(samples.every(({ ageMs }) => ageMs >= 0 && ageMs < 5_000));
    assert.deepEqual(await other.listLiveHistories(), [
      { process: "p1", history: "[1]" },
      { process: "p2", history: "[]" },
    ]);
  });

  test("viewers of the live view are announced to every process", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    const last = await store.lastChangeId();
    await other.announceLiveViewers();
    const changes = await store.listChanges(last);
    assert.deepEqual(changes.map(isOfLiveViewers), [true]);
  });
}

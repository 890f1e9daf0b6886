/** Changes arrive once and in order despite failures; an outage is logged at its start and end. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Change } from "../store/operation/news-shapes.ts";
import { watchStore } from "./watch-store.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const change = (id: number) => ({ id, kind: "key", subject: `k${id}` }) as unknown as Change;
interface News {
  readonly changes?: readonly Change[];
  readonly reports?: readonly never[];
  readonly mark?: string;
}

/** A store that gives these answers in turn, then never answers. */
function watch(
  t: TestContext,
  answers: readonly (News | Error)[],
  onChange?: (one: Change) => Promise<void>,
) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked: [changeId: number, mark: string, waitMs: number][] = [];
  const seen: number[] = [];
  const logged: string[] = [];
  const reports: number[] = [];
  const log = (event: string) => void logged.push(event);
  const watching = watchStore({
    store: {
      async waitForNews({ changeId, reports: mark }: { changeId: number; reports: string }, waitMs: number) {
        const answer = answers[asked.length];
        asked.push([changeId, mark, waitMs]);
        if (answer instanceof Error) throw answer;
        if (answer === undefined) return new Promise(() => {});
        return { changes: answer.changes ?? [], reports: answer.reports, reportsMark: answer.mark ?? mark };
      },
    } as never,
    log: { debug: log, info: log, warn: log, error: log } as never,
    afterId: 10,
    async onChange(one) {
      seen.push(one.id);
      await onChange?.(one);
    },
    onReports: (found) => void reports.push(found.length),
  });
  return {
    asked,
    seen,
    logged,
    reports,
    watching,
    async turn() {
      t.mock.timers.tick(200);
      await settled();
    },
  };
}

test("each change once and in order, and the next question is after the last of them", async (t) => {
  const { asked, seen, turn } = watch(t, [{ changes: [change(11), change(12)] }, {}]);
  await turn();
  await turn();
  await turn();
  assert.deepEqual(seen, [11, 12]);
  assert.deepEqual(
    asked.map(([id, , waitMs]) => [id, waitMs]),
    [
      [10, 30_000],
      [12, 30_000],
      [12, 30_000],
    ],
  );
});

test("a change that cannot be applied is logged, and the others still are", async (t) => {
  const fails = async ({ id }: Change) => {
    if (id === 11) throw new Error("no");
  };
  const { asked, seen, logged, turn } = watch(t, [{ changes: [change(11), change(12)] }], fails);
  await turn();
  await turn();
  assert.deepEqual([seen, logged, asked[1]?.[0]], [[11, 12], ["change_not_applied"], 12]);
});

test("an outage is told when it begins and when it is over; meanwhile the store need not be waited for", async (t) => {
  const gone = new Error("gone");
  const { asked, logged, turn } = watch(t, [gone, gone, gone, {}, gone]);
  for (let index = 0; index < 6; index += 1) await turn();
  assert.deepEqual(logged, ["store_feed_lost", "store_feed_back", "store_feed_lost"]);
  assert.deepEqual(
    asked.map(([, , waitMs]) => waitMs),
    [30_000, 0, 0, 0, 30_000, 0],
  );
});

test("what processes say of their models is handed on when there is something new, by its mark", async (t) => {
  const { asked, reports, turn } = watch(t, [{ reports: [], mark: "one" }, {}, { reports: [], mark: "two" }]);
  for (let index = 0; index < 4; index += 1) await turn();
  assert.deepEqual(reports, [0, 0]);
  assert.deepEqual(
    asked.map(([, mark]) => mark),
    ["", "one", "one", "two"],
  );
});

test("stopped, it asks nothing more, and what comes late is not applied or told", async (t) => {
  const { asked, seen, logged, watching, turn } = watch(t, [{ changes: [change(11)] }]);
  t.mock.timers.tick(200);
  watching.stop();
  await settled();
  await turn();
  assert.deepEqual([asked.length, seen, logged], [1, [], []]);
  await t.test("an error after it", async (inner) => {
    const late = watch(inner, [new Error("closed")]);
    inner.mock.timers.tick(200);
    late.watching.stop();
    await settled();
    assert.deepEqual(late.logged, []);
  });
});

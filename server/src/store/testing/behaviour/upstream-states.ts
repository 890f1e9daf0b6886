/** What every store must do with processes' reports about their upstreams. A part of `behaviour.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpstreamState } from "@plaza/contract/upstream-states.ts";
import { probeAskedBy } from "../../operation/news-shapes.ts";
import type { NewFixture } from "../fixture.ts";

const state = (id: string, inFlight: number): UpstreamState => ({
  id,
  provider: "openai",
  inFlight,
  concurrency: null,
  credentials: [{ number: 1, state: "out", untilAt: "2025-11-21T05:20:00.000Z", lastFault: null }],
  deployments: [
    {
      model: "gpt ü 'quoted'",
      upstreamModel: "gpt-5",
      priority: 1,
      weight: 2.5,
      weightNow: 0,
      state: "ejected",
      untilAt: "2025-11-21T05:20:00.000Z",
      lastFault: { kind: "server", status: 500, at: "2025-11-20T01:33:20.000Z" },
      inFlight,
      firstTokenMs: null,
      p95FirstTokenMs: 210,
    },
  ],
});

export function upstreamStateBehaviour(newFixture: NewFixture): void {
  test("each process's states are listed, oldest process first, and only the last it said", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    assert.deepEqual(await store.listUpstreamStates(), []);
    await store.openHolder("hld_1");
    await other.openHolder("hld_2");
    await other.publishUpstreamStates("hld_2", [state("main", 0)]);
    await store.publishUpstreamStates("hld_1", [state("main", 1)]);
    await store.publishUpstreamStates("hld_1", [state("main", 2), state("spare", 0)]);
    const listed = await other.listUpstreamStates();
    assert.deepEqual(
      listed.map(({ process, upstreams }) => ({ process, upstreams })),
      [
        { process: "hld_1", upstreams: [state("main", 2), state("spare", 0)] },
        { process: "hld_2", upstreams: [state("main", 0)] },
      ],
    );
    assert.ok(listed.every(({ at }) => Date.parse(at) > 1_700_000_000_000));
  });

  test("a process tells how it is doing itself, and one that does not is not made up", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("hld_1");
    await store.publishUpstreamStates("hld_1", [state("main", 0)]);
    assert.equal((await store.listUpstreamStates())[0]?.readings, null);
    const readings = {
      pid: 7,
      version: "1.2.3",
      startedAt: "2025-11-20T01:33:20.000Z",
      loopLagMs: 0.3,
      heapBytes: 1,
      rssBytes: 2,
      inFlight: 3,
      isBehind: false,
      isLimiting: true,
    };
    await store.publishUpstreamStates("hld_1", [], readings);
    const [told] = await store.listUpstreamStates();
    assert.deepEqual([told?.upstreams, told?.readings], [[], readings]);
  });

  test("what processes say of models can be had without the rest, of those that live and said something", async (context) => {
    const { store } = await newFixture(context);
    for (const id of ["hld_1", "hld_2", "hld_3"]) await store.openHolder(id);
    const models = { down: ["m ü"], degraded: [], served: ["n"] };
    await store.publishUpstreamStates("hld_1", [state("main", 0)], undefined, models);
    await store.publishUpstreamStates("hld_2", [state("main", 0)]);
    await store.publishUpstreamStates("hld_3", [], undefined, models);
    await store.closeHolder("hld_3");
    assert.deepEqual(await store.listModelReports(), [{ process: "hld_1", models }]);
    assert.deepEqual(
      (await store.listUpstreamStates()).map((one) => one.models),
      [models, null],
    );
    const fewer = { ...models, down: [] };
    await store.publishUpstreamStates("hld_1", [], undefined, fewer);
    assert.deepEqual(await store.listModelReports(), [{ process: "hld_1", models: fewer }]);
  });

  test("what a process said goes with it, and one that is gone says nothing more", async (context) => {
    const { store } = await newFixture(context);
    await store.openHolder("hld_1");
    await store.openHolder("hld_2");
    await store.publishUpstreamStates("hld_1", [state("main", 1)]);
    await store.publishUpstreamStates("hld_2", [state("main", 2)]);
    await store.closeHolder("hld_1");
    await store.publishUpstreamStates("hld_1", [state("main", 3)]);
    await store.publishUpstreamStates("hld_never", [state("main", 3)]);
    assert.deepEqual(
      (await store.listUpstreamStates()).map(({ process }) => process),
      ["hld_2"],
    );
  });

  incidents(newFixture);
}

function incidents(newFixture: NewFixture): void {
  test("incidents are kept while processes report them, and end when none does", async (context) => {
    const { store, reopen } = await newFixture(context);
    const other = await reopen();
    await store.openHolder("hld_1");
    const [model] = state("main", 0).deployments.map((one) => one.model);
    const report = { down: [model ?? ""], degraded: [], served: [] };
    const upstream = { ...state("main", 0), credentials: [] };
    assert.equal(await store.noteIncidents(1_000), 0);
    await store.publishUpstreamStates("hld_1", [upstream], undefined, report);
    // Before it is noted, it is shown already.
    assert.equal((await other.readIncidents(1_500))[0]?.startedAt, 1_500);
    assert.deepEqual(await Promise.all([store.noteIncidents(2_000), other.noteIncidents(2_000)]), [1, 1]);
    assert.equal(await other.noteIncidents(9_000), 1);
    const shown = await other.readIncidents(10_000);
    assert.deepEqual(
      shown.map(({ now, fault, ...incident }) => [incident, fault?.kind, now?.untilAt]),
      [
        [
          {
            upstream: "main",
            cause: "failing",
            state: "down",
            models: [model],
            modelsCount: 1,
            startedAt: 2_000,
            endedAt: null,
          },
          "server",
          "2025-11-21T05:20:00.000Z",
        ],
      ],
    );
    await store.publishUpstreamStates("hld_1", [upstream], undefined, { ...report, down: [] });
    assert.equal(await store.noteIncidents(20_000), 0);
    const [over] = await other.readIncidents(30_000);
    assert.deepEqual([over?.startedAt, over?.endedAt, over?.now], [2_000, 20_000, null]);
    assert.equal((await store.getSettings()).revision, 0, "settings are not touched");
  });

  test("a request for a probe is a change for every process, and none of the catalog", async (context) => {
    const { store } = await newFixture(context);
    const afterId = await store.lastChangeId();
    await store.requestProbe("main ü");
    const changes = await store.listChanges(afterId);
    assert.deepEqual(changes.map(probeAskedBy), ["main ü"]);
    assert.equal(probeAskedBy({ kind: "catalog", subject: "" }), undefined);
    assert.equal(probeAskedBy({ kind: "key", subject: "probe main" }), undefined);
  });
}

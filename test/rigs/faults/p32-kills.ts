/**
 * P32: no caller waits forever. Workers are killed under load from callers on new connections: a call may
 * break, but it always ends. Then SIGTERM during starts (`p32-starts.ts`).
 */
import assert from "node:assert/strict";
import { oneUpstream } from "../harness/catalog.ts";
import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { post, type Seen } from "../harness/http-client.ts";
import { eventually, pause } from "../harness/measure/clock.ts";
import { type Plaza, startPlaza } from "../harness/processes/plaza.ts";
import { processTree } from "../harness/processes/proc.ts";
import { startUpstreamProcess } from "../harness/processes/upstream-process.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { type Starts, starts } from "./p32-starts.ts";

interface Size {
  readonly kills: number;
  /** Minimum number of calls in total. */
  readonly calls: number;
  readonly starts: Starts;
}

const sizes: Readonly<Record<"short" | "long", Size>> = {
  short: { kills: 6, calls: 2_000, starts: { serving: 4, early: 2 } },
  long: { kills: 100, calls: 100_000, starts: { serving: 100, early: 40 } },
};

const workers = 3;
const lanes = 24;
/** A call without an end after this time counts as hanging. */
const hangMs = 20_000;
/** Time between two kills, long enough that a worker does not count as crash-looping. */
const betweenKillsMs = [800, 1_600] as const;

const patience = { PLAZA_LOOP_LAG_MAX_MS: "60s" };
const body = JSON.stringify({
  model: "rig-model",
  messages: [{ role: "user", content: "hello" }],
  x_rig: { tokens: 2 },
});

const isHanging = (seen: Seen): boolean => !seen.isWhole && seen.endedAt - seen.sentAt >= hangMs;

/** Worker processes: children that serve or are about to. */
const workerPids = (plaza: Plaza): number[] => processTree(plaza.pid).filter((pid) => pid !== plaza.pid);

interface Load {
  calls: number;
  broken: number;
  readonly hanging: string[];
  isOver: boolean;
}

async function lane(plaza: Plaza, load: Load): Promise<void> {
  while (!load.isOver) {
    const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: hangMs });
    load.calls += 1;
    if (isHanging(seen))
      load.hanging.push(
        `${seen.status} after ${(seen.endedAt - seen.sentAt).toFixed(0)} ms: ${seen.problem}`,
      );
    else if (seen.status !== 200 || !seen.isWhole) load.broken += 1;
    if (seen.status === 0) await pause(5);
  }
}

async function kills(baseUrl: string, size: Size, random: Random): Promise<Figure[]> {
  const plaza = await startPlaza({ catalog: oneUpstream(baseUrl), workers, env: patience });
  const load: Load = { calls: 0, broken: 0, hanging: [], isOver: false };
  let killed = 0;
  try {
    const running = Array.from({ length: lanes }, () => lane(plaza, load));
    while (killed < size.kills || load.calls < size.calls) {
      await pause(random.int(...betweenKillsMs));
      if (killed >= size.kills * 2) continue;
      await eventually(() => workerPids(plaza).length === workers, 5_000);
      const pids = workerPids(plaza);
      if (pids.length === 0) continue;
      process.kill(random.pick(pids), "SIGKILL");
      killed += 1;
    }
    load.isOver = true;
    await Promise.all(running);
    // A process that was started a moment ago has a pid, and does not listen yet.
    let served = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: hangMs });
    const isBack = await eventually(async () => {
      if (workerPids(plaza).length < workers) return false;
      served = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: hangMs });
      return served.status === 200;
    }, 40_000);
    return [
      zeroFigure("P32", `calls without an end over ${killed} kills of workers`, load.calls, load.hanging),
      {
        promise: "P32",
        name: "calls broken by the kills",
        reached: `${load.broken} of ${load.calls}`,
        wanted: "some, and not most",
        ok: load.broken > 0 && load.broken < load.calls / 2,
        kind: "correct",
      },
      countFigure(
        "P32",
        "all workers are back and serve",
        1,
        isBack
          ? []
          : [`${workerPids(plaza).length} of ${workers} workers; a call: ${served.status} ${served.problem}`],
      ),
    ];
  } finally {
    await plaza.stop();
    assert.ok(!plaza.running.hasLeftOthers(), "a worker outlived its primary");
  }
}

export const run: Rig = async ({ size, seed }) => {
  const random = seededRandom(seed);
  const upstream = await startUpstreamProcess();
  try {
    return [
      ...(await kills(upstream.baseUrl, sizes[size], random.fork("kills"))),
      ...(await starts(upstream.baseUrl, sizes[size].starts, random.fork("starts"))),
    ];
  } finally {
    await upstream.stop();
  }
};

/** Plays one scene: all kinds of load before, during and after it, and what is judged at once. */
import { type Figure, percentile, zeroFigure } from "../harness/figure.ts";
import { beyondShares, mostAbove, mostAtOnce, type Passed } from "../harness/limit-judge.ts";
import type { Offered } from "../harness/limited-calls.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import type { Random } from "../harness/random.ts";
import type { CallRecord } from "../upstream/journal.ts";
import {
  describe,
  judgeComplete,
  judgePurse,
  type Made,
  madeTwice,
  type Outcome,
  outcomeOf,
  recoveredAfterMs,
} from "./judges.ts";
import { type LimitPool, limits, newKeys, openPurse, purseCalls, startLimits, startLoad } from "./load.ts";
import type { Scene } from "./scenes.ts";
import type { Cluster, PlazaHost } from "./stage.ts";

const beforeMs = 1_500;
/** Calls go on so long after the end, and until all hosts are ready. */
const afterMs = 4_000;
const readyWithinMs = 30_000;
/** P19's figures. */
const backWithinMs = 5_000;
const refusedWithinMs = 200;

export interface Played {
  readonly figures: Figure[];
  /** All calls that are to be found on the ledger. */
  readonly made: readonly Made[];
}

const passedOf = (offered: readonly Offered[], calls: readonly CallRecord[]): Passed[] => {
  const sent = new Map(offered.map((one) => [one.id, one]));
  return calls.flatMap(({ id, acceptedAt, endedAt }) => {
    const one = sent.get(id);
    if (one === undefined) return [];
    return [{ sentAt: one.sentAt, acceptedAt, endedAt: endedAt ?? one.endedAt, units: 1 }];
  });
};

const timesLogged = (plaza: PlazaHost, event: string): number => plaza.logs().split(`"${event}"`).length - 1;

/** How often a Plaza used its share, because the database did not answer within a second. */
const sharesUsed = ({ plazas }: Cluster): number =>
  plazas.reduce((sum, plaza) => sum + timesLogged(plaza, "limits_by_share"), 0);

/** Plazas that use their shares now: the scene before may have ended just then. */
const sharing = ({ plazas }: Cluster): number =>
  plazas.filter((plaza) => timesLogged(plaza, "limits_by_share") > timesLogged(plaza, "limits_shared_again"))
    .length;

async function judgeLimits(
  scene: Scene,
  pools: readonly LimitPool[],
  { cluster, lost }: { readonly cluster: Cluster; readonly lost: () => number },
): Promise<Figure> {
  const wrong: string[] = [];
  const shown: string[] = [];
  let count = 0;
  for (const pool of pools) {
    const offered = await pool.stop();
    const passed = passedOf(offered, cluster.calls());
    const limit = limits[pool.kind];
    const allowed = beyondShares(limit, lost(), cluster.plazas.length);
    // One of a dead host lives on at the upstream until that notices, and its slice is leased again.
    const above = pool.kind === "concurrency" ? mostAtOnce(passed) - limit : mostAbove(limit, passed);
    count += offered.length;
    shown.push(`${pool.kind} ${above.toFixed(1)} above ${limit}`);
    if (above > 1e-6 + allowed) wrong.push(`${pool.kind}: ${above.toFixed(2)} above ${limit}`);
    if (!offered.some(({ status }) => status === 429)) wrong.push(`${pool.kind}: nothing was refused`);
  }
  const name = `${scene.name}: limits over all hosts (${shown.join(", ")}; shares used ${lost()} times)`;
  return zeroFigure("P21", name, count, wrong);
}

function judgeCalls(scene: Scene, made: readonly Made[]): Figure[] {
  const byOutcome = Map.groupBy(made, outcomeOf);
  const count = (outcome: Outcome): number => byOutcome.get(outcome)?.length ?? 0;
  const isMet = (one: Made): boolean => ["whole", ...scene.meets].includes(outcomeOf(one));
  const names = (["whole", "refused", "balancer", "cut"] as const).map((name) => `${count(name)} ${name}`);
  const took = (byOutcome.get("refused") ?? []).map(({ seen }) => seen.endedAt - seen.sentAt);
  const served = (byOutcome.get("whole") ?? []).map(({ seen }) => seen.endedAt - seen.sentAt);
  const [p50, p99, most] = [percentile(took, 50), percentile(took, 99), Math.max(0, ...took)].map((ms) =>
    Math.round(ms),
  );
  return [
    zeroFigure(
      "P19",
      `${scene.name}: 401, or anything but ${["whole", ...scene.meets].join(", ")} (${names.join(", ")}; the slowest answer ${Math.round(Math.max(0, ...served))} ms)`,
      made.length,
      made.filter((one) => !isMet(one)).map(describe),
    ),
    {
      promise: "P19",
      name: `${scene.name}: 429 or 503 within, p99`,
      reached:
        took.length === 0 ? "none was refused" : `${p99} ms of ${took.length} (p50 ${p50}, most ${most})`,
      wanted: `≤ ${refusedWithinMs} ms`,
      ok: took.length === 0 || (p99 ?? 0) <= refusedWithinMs,
      kind: "timing",
    },
  ];
}

function judgeRecovery(scene: Scene, made: readonly Made[], from: number): Figure {
  const backMs = recoveredAfterMs(made, from);
  const good = made.filter((one) => one.seen.sentAt >= from && outcomeOf(one) === "whole").length;
  return {
    promise: "P19",
    name: `${scene.name}: no call fails any more, after its ${scene.recoversFrom}`,
    reached: `${(backMs / 1_000).toFixed(2)} s, ${good} answers since`,
    wanted: `≤ ${backWithinMs / 1_000} s`,
    ok: backMs <= backWithinMs && good > 0,
    kind: "timing",
  };
}

export async function play(cluster: Cluster, scene: Scene, random: Random): Promise<Played> {
  const prefix = `${scene.name.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 24)}-${random.int(0, 9_999)}`;
  const usedBefore = sharesUsed(cluster) - sharing(cluster);
  const keys = await newKeys(cluster);
  const purse = await openPurse(cluster, prefix, random.fork("purse"));
  const pools = await startLimits(cluster, { prefix, random });
  const load = startLoad(cluster, keys, { prefix, random: random.fork("load") });
  await pause(beforeMs);
  if (scene.victim !== undefined) await purse.spendAt(scene.victim, 2);
  const begunAt = monotonicMs();
  await scene.begin();
  await pause(scene.lostMs);
  // A host that was away for long must not spend what others may have spent meanwhile.
  if (scene.victim !== undefined) await purse.spendAt(scene.victim, 6);
  await scene.end();
  const endedAt = monotonicMs();
  await pause(afterMs);
  const isReady = async () => (await Promise.all(cluster.plazas.map((one) => one.isReady()))).every(Boolean);
  await eventually(isReady, readyWithinMs, 50);
  await Promise.all([load.stop(), purse.stop()]);
  const limited = await judgeLimits(scene, pools, {
    cluster,
    lost: () => sharesUsed(cluster) - usedBefore,
  });
  await scene.mend?.();
  const calls = cluster.calls();
  const all = [...load.made, ...purse.made];
  const from = scene.recoversFrom === "begin" ? begunAt : endedAt;
  const figures = [
    ...judgeCalls(scene, load.made),
    judgeRecovery(scene, load.made, from),
    judgeComplete(all, calls),
    zeroFigure("P02", "calls that the upstream saw twice", all.length, madeTwice(all, calls)),
    zeroFigure(
      "P02",
      `an account with money for ${purseCalls} calls`,
      purse.made.length,
      judgePurse(purse.made, calls, purseCalls),
    ),
    limited,
  ].map((figure) => ({
    ...figure,
    name: figure.name.startsWith(scene.name) ? figure.name : `${scene.name}: ${figure.name}`,
  }));
  return { figures, made: load.made };
}

/**
 * P18: slow storage does not slow down streams. Streams run while the database is locked, paused or remote:
 * tokens keep coming, streams end normally, the event loop stays free, and afterwards everything is in the
 * ledger.
 */
import { Agent, request } from "node:http";
import {
  boundFigure,
  countFigure,
  type DatabaseKind,
  type Figure,
  percentile,
  type Rig,
  zeroFigure,
} from "../harness/figure.ts";
import { post, type Seen } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { completedAnswer, requestTo } from "../harness/money/calls.ts";
import { type MoneyKey, type MoneyStage, withMoney } from "../harness/money/money.ts";
import { judgeCharges } from "../harness/money/reconcile.ts";
import { type HoldingProxy, laterBy, startHoldingProxy } from "../harness/processes/holding-proxy.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import {
  lockedFile,
  lockedRows,
  longWay,
  pausedServer,
  type StorageFault,
} from "../harness/processes/storage-faults.ts";
import { errorCode } from "../harness/raw-client.ts";
import { stampedTokens } from "../harness/streams/stamps.ts";

const gapMs = 50;
const loopLagMs = 50;
/** A settlement waits this long for the database, then writes to the journal. */
const lastByteMs = 500;
/** Streams that end this long before the database recovers must not wait for it. */
const clearlyBeforeMs = 1_000;
const settledWithinMs = 20_000;

interface Sizes {
  readonly streams: number;
  readonly slowMs: number;
}

const sizes = { short: { streams: 24, slowMs: 2_000 }, long: { streams: 120, slowMs: 30_000 } } as const;

/** Times of `GET /healthz`, twenty times a second, over one connection. */
function watchLoop(plaza: Plaza): { stop(): Promise<number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  let isOver = false;
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const sentAt = monotonicMs();
      const call = request(`${plaza.origin}/healthz`, { agent }, (response) => {
        took.push(monotonicMs() - sentAt);
        response.resume().once("end", resolve);
      });
      call.once("error", () => {
        took.push(Number.POSITIVE_INFINITY);
        resolve();
      });
      call.end();
    });
  const loop = (async () => {
    while (!isOver) {
      await ask();
      await pause(gapMs);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      agent.destroy();
      return took;
    },
  };
}

/** Milliseconds from the upstream's writing of each token to its arrival, and the moment of the last one. */
function tokenLags(seen: Seen): { lags: number[]; lastAt: number } {
  const tokens = stampedTokens(seen);
  const lags = tokens.map(({ writtenAt, arrivedAt }) => arrivedAt - writtenAt);
  return { lags, lastAt: tokens.at(-1)?.arrivedAt ?? Number.NaN };
}

/** A few new calls per second while the database is slow, using these keys in turn. */
async function callNow(
  plaza: Plaza,
  keys: readonly MoneyKey[],
  name: string,
  until: number,
): Promise<Seen[]> {
  const calls: Promise<Seen>[] = [];
  for (let index = 0; monotonicMs() < until; index++) {
    const one = { id: `${name}-new-${index}`, isStream: index % 2 === 0, maxTokens: 20, plan: { tokens: 5 } };
    const key = (keys[index % keys.length] as MoneyKey).secret;
    calls.push(post({ ...requestTo(plaza, one), key, withinMs: 30_000 }));
    await pause(200);
  }
  return Promise.all(calls);
}

interface Scene {
  readonly fault: StorageFault;
  /** A database that is merely slow causes no rejections. */
  readonly isLost: boolean;
}

async function play(
  stage: MoneyStage,
  plaza: Plaza,
  scene: Scene,
  { size, all }: { size: Sizes; all: Seen[] },
): Promise<Figure[]> {
  const { name } = scene.fault;
  const keys: MoneyKey[] = [];
  for (let index = 0; index < 5; index++) {
    keys.push(await stage.createKey(await stage.createAccount(10_000_000_000n)));
  }
  // The first key is unknown to the process: nothing is cached for it, and it has no lease.
  const [stranger, ...known] = keys as [MoneyKey, ...MoneyKey[]];
  const longest = Math.ceil((size.slowMs + 1_400) / gapMs);
  const begun: Promise<void>[] = [];
  const streams = Array.from({ length: size.streams }, (_, index) => {
    // A third of the streams end while the database is slow, at different times; the others outlast it.
    const tokens = index % 3 === 0 ? Math.ceil((longest * (2 + (index % 7))) / 10) : longest;
    const one = {
      id: `${name}-${index}`,
      isStream: true,
      maxTokens: tokens,
      plan: { tokens, gapMs, stamp: true },
    };
    const key = known[index % known.length] as MoneyKey;
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    const stream = post({
      ...requestTo(plaza, one),
      key: key.secret,
      withinMs: 120_000,
      onArrival: () => resolve(),
    });
    void stream.then(() => resolve());
    return stream;
  });
  // Each stream is admitted and runs before the database becomes slow.
  await Promise.all(begun);
  const watch = watchLoop(plaza);
  const end = await scene.fault.begin();
  const newCalls = callNow(plaza, [known[0] as MoneyKey, stranger], name, monotonicMs() + size.slowMs);
  await pause(size.slowMs);
  await end();
  const endedAt = monotonicMs();
  const seen = await Promise.all(streams);
  const pings = await watch.stop();
  const fresh = await newCalls;
  all.push(...seen, ...fresh);
  return [
    ...judgeStreams(name, seen, endedAt),
    boundFigure("P18", `${name}: /healthz p99 (${pings.length} of them)`, percentile(pings, 99), loopLagMs),
    zeroFigure("P18", `${name}: new calls answered wrongly`, fresh.length, judgeNew(fresh, scene.isLost)),
  ];
}

function judgeStreams(name: string, seen: readonly Seen[], endedAt: number): Figure[] {
  const cut = seen.filter((one) => completedAnswer(one) === undefined);
  const views = seen.map((one) => ({ ...tokenLags(one), endAt: one.endedAt }));
  const inSlowness = views.filter(({ lastAt }) => lastAt < endedAt - clearlyBeforeMs);
  const kept = inSlowness.filter(({ endAt }) => endAt > endedAt);
  const lags = views.flatMap((view) => view.lags);
  const ends = inSlowness.map(({ endAt, lastAt }) => endAt - lastAt);
  return [
    countFigure(
      "P18",
      `${name}: streams completed`,
      seen.length,
      cut.map((one) => `status ${one.status}: ${one.problem} ${one.body.subarray(-200)}`),
    ),
    countFigure(
      "P18",
      `${name}: streams that ended meanwhile did not wait for the database`,
      inSlowness.length,
      kept.map(({ endAt, lastAt }) => `its end came ${Math.round(endAt - lastAt)} ms after its last token`),
    ),
    boundFigure("P18", `${name}: token lag p99 (${lags.length} tokens)`, percentile(lags, 99), loopLagMs),
    boundFigure("P18", `${name}: from the last token to the end, p99`, percentile(ends, 99), lastByteMs),
  ];
}

function judgeNew(seen: readonly Seen[], isLost: boolean): string[] {
  const isFine = (one: Seen): boolean =>
    completedAnswer(one) !== undefined ||
    (isLost && one.status === 503 && errorCode(one.body) === "ledger_unavailable");
  return seen
    .filter((one) => !isFine(one))
    .map(
      (one) =>
        `status ${one.status} ${errorCode(one.body) ?? one.problem} after ${Math.round(one.endedAt - one.sentAt)} ms`,
    );
}

/** Waits until every complete answer is in the ledger, then checks it. */
export async function judgeLedger(stage: MoneyStage, name: string, seen: readonly Seen[]): Promise<Figure[]> {
  const answers = seen.map(completedAnswer).filter((answer) => answer !== undefined);
  const isThere = async (): Promise<boolean> => {
    const rows = await stage.reader.requests().catch(() => []);
    const ids = new Set(rows.map(({ id }) => id));
    return answers.every(({ requestId }) => ids.has(requestId));
  };
  await eventually(isThere, settledWithinMs, 100);
  const figures = judgeCharges(answers, await stage.reader.requests(), await stage.reader.charges());
  const lost = (await stage.reader.accounts()).filter((account) => account.lost !== 0n);
  return [
    ...figures,
    zeroFigure("P01", "found by ledger verify", 1, await stage.verify()),
    zeroFigure(
      "P01",
      "accounts with an operator's loss",
      1,
      lost.map((account) => `${account.id}: ${account.lost}`),
    ),
  ].map((figure) => ({ ...figure, name: `${name}: ${figure.name}` }));
}

async function runOn(database: DatabaseKind, size: Sizes, seed: number): Promise<Figure[]> {
  let proxy: HoldingProxy | undefined;
  let delayMs = 0;
  const through = async (port: number): Promise<number> => {
    proxy = await startHoldingProxy(
      port,
      laterBy(() => delayMs),
    );
    return proxy.port;
  };
  const setDelay = (ms: number): void => {
    delayMs = ms;
  };
  try {
    return await withMoney({ seed, database, through }, async (stage) => {
      const plaza = await stage.serve();
      const figures: Figure[] = [];
      const all: Seen[] = [];
      for (const scene of scenesOf(stage, setDelay)) {
        figures.push(...(await play(stage, plaza, scene, { size, all })));
      }
      return [...figures, ...(await judgeLedger(stage, database, all))];
    });
  } finally {
    await proxy?.stop();
  }
}

function scenesOf({ place, postgres }: MoneyStage, setDelay: (ms: number) => void): Scene[] {
  if (place.kind === "sqlite") return [{ fault: lockedFile(place.file), isLost: true }];
  if (postgres === undefined) throw new Error("no server");
  return [
    { fault: longWay(setDelay, 500), isLost: false },
    { fault: lockedRows(place.url), isLost: true },
    { fault: pausedServer(postgres), isLost: true },
  ];
}

export const run: Rig = ({ size, seed, database }) => runOn(database ?? "sqlite", sizes[size], seed);

/**
 * P11: tokens are not delayed. Runs streams at 20 tokens/s through Plaza, over all endpoints and formats of
 * upstreams, and as many directly from the upstream at the same time, and compares them.
 */

import { spokenName } from "../harness/catalog.ts";
import { bodyFor, pathOf, type RigCall, type Route, routeFor } from "../harness/endpoints.ts";
import { boundFigure, countFigure, type Figure, percentile, type Rig, showMs } from "../harness/figure.ts";
import { type Ask, post, type Seen } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { carelessWays, isCarelessWay, startHoldingProxy } from "../harness/processes/holding-proxy.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { stampedTokens } from "../harness/streams/stamps.ts";

/**
 * Gaps between tokens, in milliseconds: the promised one, and one shorter than any delayed acknowledgement.
 */
const usualGapMs = 50;
const quickGapMs = 15;

/** Times of one stream, in milliseconds. */
export interface StreamTimes {
  readonly firstMs: number;
  /** Arrival minus the upstream's timestamp, per token. */
  readonly lagsMs: readonly number[];
}

/** One path to the same streams: where and how a stream of this route is asked for. */
type Way = (route: Route, streams: Streams) => Pick<Ask, "url" | "key" | "body">;

const callOf = (model: string, { tokens, gapMs }: Streams): RigCall => ({
  model,
  isStream: true,
  maxTokens: tokens,
  plan: { tokens, gapMs, stamp: true },
  text: "hello ".repeat(200),
});

/** Through Plaza, or what stands before it. */
const relayedBy =
  (origin: string, key: string): Way =>
  ({ endpoint, spoken }, streams) => {
    const call = callOf(spokenName("rig-model", spoken), streams);
    return { url: origin + pathOf(endpoint, call), key, body: bodyFor(endpoint, call) };
  };

/** From the upstream, in its own format. */
export const directFrom =
  (origin: string): Way =>
  ({ spoken }, streams) => {
    const call = callOf("upstream-model", streams);
    return { url: origin + pathOf(spoken, call), key: "k", body: bodyFor(spoken, call) };
  };

export interface Streams {
  readonly count: number;
  readonly tokens: number;
  readonly gapMs: number;
  /** Their starts are spread over this time, in milliseconds. */
  readonly overMs: number;
}

/** Reads the timestamps; undefined when the stream was incomplete. */
function timesOf(seen: Seen, tokens: number): StreamTimes | undefined {
  const stamped = stampedTokens(seen);
  const [first] = stamped;
  if (first === undefined || stamped.length !== tokens) return undefined;
  const lagsMs = stamped.map(({ writtenAt, arrivedAt }) => arrivedAt - writtenAt);
  return { firstMs: first.arrivedAt - seen.sentAt, lagsMs };
}

/** Starts the streams spread over time and waits for all. */
async function manyStreams(
  way: Way,
  streams: Streams,
  routes: readonly Route[],
  random: Random,
): Promise<(StreamTimes | undefined)[]> {
  const starts = routes.map(() => random.next() * streams.overMs);
  const from = monotonicMs();
  return Promise.all(
    starts.map(async (start, index) => {
      await pause(Math.max(0, start - (monotonicMs() - from)));
      return timesOf(await post(way(routes[index] as Route, streams)), streams.tokens);
    }),
  );
}

const warmCalls = 200;

async function warm(ways: readonly Way[], seed: number): Promise<void> {
  const quick = { count: 1, tokens: 8, gapMs: 0, overMs: 0 };
  for (let round = 0; round < warmCalls; round++)
    for (const way of ways) await post(way(routeFor(`warm-${round}`, seed), quick));
}

/** Compares streams through a relay with direct ones; for fast streams only the lag counts. */
export function judgeTimes(
  through: readonly StreamTimes[],
  direct: readonly StreamTimes[],
  isQuick = false,
): Figure[] {
  const first = (all: readonly StreamTimes[], percent: number): number =>
    percentile(
      all.map((one) => one.firstMs),
      percent,
    );
  const lag = (all: readonly StreamTimes[], percent: number): number =>
    percentile(
      all.flatMap((one) => one.lagsMs),
      percent,
    );
  const added = (name: string, of: typeof first, percent: number, wanted: number): Figure => {
    const figure = boundFigure("P11", name, of(through, percent) - of(direct, percent), wanted);
    const both = `through ${showMs(of(through, percent))}, direct ${showMs(of(direct, percent))}`;
    return { ...figure, reached: `${figure.reached} (${both})` };
  };
  if (isQuick) return [added(`added chunk lag p99, a token every ${quickGapMs} ms`, lag, 99, 5)];
  return [
    added("added first-token p50", first, 50, 2),
    added("added first-token p99", first, 99, 10),
    added("added chunk lag p99", lag, 99, 5),
  ];
}

/** What calls of one kind add, without a judgement: half the streams are too few for the bounds. */
function kindFigure(name: string, through: readonly StreamTimes[], direct: readonly StreamTimes[]): Figure {
  const added = (of: (one: StreamTimes) => readonly number[], percent: number): string =>
    showMs(percentile(through.flatMap(of), percent) - percentile(direct.flatMap(of), percent));
  const first = added((one) => [one.firstMs], 50);
  return {
    promise: "P11",
    name: `of them ${through.length} ${name}: added first-token p50, chunk lag p99`,
    reached: `${first}, ${added((one) => one.lagsMs, 99)}`,
    wanted: "printed only",
    ok: true,
    kind: "timing",
  };
}

/** Runs as many streams through the relay as directly, at the same time, on these routes. */
export async function compareWays(
  relayed: Way,
  straight: Way,
  streams: Streams,
  random: Random,
): Promise<Figure[]> {
  const routes = Array.from({ length: streams.count }, (_, index) => routeFor(`p11-${index}`, random.seed));
  const [through, direct] = await Promise.all([
    manyStreams(relayed, streams, routes, random.fork("plaza")),
    manyStreams(straight, streams, routes, random.fork("direct")),
  ]);
  const isThere = (one: StreamTimes | undefined): one is StreamTimes => one !== undefined;
  const broken = through.flatMap((one, index) => {
    const { endpoint, spoken } = routes[index] as Route;
    return isThere(one) ? [] : [`stream ${index} was not whole: ${endpoint} of ${spoken}`];
  });
  const isQuick = streams.gapMs < usualGapMs;
  const ofKind = (all: readonly (StreamTimes | undefined)[], isPassed: boolean): StreamTimes[] =>
    all
      .filter((_, index) => (routes[index]?.endpoint === routes[index]?.spoken) === isPassed)
      .filter(isThere);
  return [
    countFigure("P11", `streams arrive whole, a token every ${streams.gapMs} ms`, streams.count, broken),
    ...judgeTimes(through.filter(isThere), direct.filter(isThere), isQuick),
    kindFigure("passed", ofKind(through, true), ofKind(direct, true)),
    kindFigure("translated", ofKind(through, false), ofKind(direct, false)),
  ];
}

/**
 * `RIG_P11` puts a careless relay between the callers and Plaza (its names are in
 * `processes/holding-proxy.ts`): the rig must then miss its target, which shows that it can.
 */
export const run: Rig = ({ size, seed }) =>
  withPlazaApart({}, async (plaza, upstream) => {
    const isLong = size === "long";
    const [count, tokens, overMs] = isLong ? [200, 200, 10_000] : [40, 40, 1_000];
    const usual = { count, tokens, overMs, gapMs: usualGapMs };
    const quick = { count: isLong ? 40 : 10, tokens: tokens * 2, overMs: 500, gapMs: quickGapMs };
    const straight = directFrom(new URL(upstream.baseUrl).origin);
    await warm([relayedBy(plaza.origin, plaza.key), straight], seed);
    const way = process.env["RIG_P11"] ?? "";
    const proxy = isCarelessWay(way) ? await startHoldingProxy(plaza.port, carelessWays[way]) : undefined;
    const origin = proxy === undefined ? plaza.origin : `http://127.0.0.1:${proxy.port}`;
    const relayed = relayedBy(origin, plaza.key);
    const random = seededRandom(seed);
    try {
      return [
        ...(await compareWays(relayed, straight, usual, random.fork("usual"))),
        ...(await compareWays(relayed, straight, quick, random.fork("quick"))),
      ];
    } finally {
      await proxy?.stop();
    }
  });

/**
 * P11: tokens are not delayed. Runs streams at 20 tokens/s through Plaza and as many directly from the
 * upstream at the same time, and compares them.
 */

import { boundFigure, countFigure, type Figure, percentile, type Rig, showMs } from "../harness/figure.ts";
import { post, type Seen } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import { carelessWays, isCarelessWay, startHoldingProxy } from "../harness/processes/holding-proxy.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { eventJson, splitEvents } from "../harness/sse.ts";

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

/** One path to the same streams. */
interface Way {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

export interface Streams {
  readonly count: number;
  readonly tokens: number;
  readonly gapMs: number;
  /** Their starts are spread over this time, in milliseconds. */
  readonly overMs: number;
}

function body(model: string, { tokens, gapMs }: Streams): string {
  return JSON.stringify({
    model,
    messages: [{ role: "user", content: "hello ".repeat(200) }],
    stream: true,
    x_rig: { tokens, gapMs, stamp: true },
  });
}

/** Reads the timestamps; undefined when the stream was incomplete. */
function timesOf(seen: Seen, tokens: number): StreamTimes | undefined {
  const lagsMs: number[] = [];
  let firstAt = Number.NaN;
  let rest = Buffer.alloc(0);
  for (const arrival of seen.arrivals) {
    const pieces = splitEvents(Buffer.concat([rest, arrival.bytes]));
    const last = pieces.at(-1);
    const isOpen = last !== undefined && !last.toString("latin1").endsWith("\n\n");
    rest = isOpen ? Buffer.from(pieces.pop() ?? "") : Buffer.alloc(0);
    for (const piece of pieces) {
      const stamp = (eventJson(piece) as { x_t?: string } | undefined)?.x_t;
      if (stamp === undefined) continue;
      if (Number.isNaN(firstAt)) firstAt = arrival.at;
      lagsMs.push(arrival.at - Number(stamp));
    }
  }
  return lagsMs.length === tokens ? { firstMs: firstAt - seen.sentAt, lagsMs } : undefined;
}

/** Starts the streams spread over time and waits for all. */
async function manyStreams(
  { url, key, model }: Way,
  streams: Streams,
  random: Random,
): Promise<(StreamTimes | undefined)[]> {
  const starts = Array.from({ length: streams.count }, () => random.next() * streams.overMs);
  const from = monotonicMs();
  return Promise.all(
    starts.map(async (start) => {
      await pause(Math.max(0, start - (monotonicMs() - from)));
      return timesOf(await post({ url, key, body: body(model, streams) }), streams.tokens);
    }),
  );
}

async function warm(plaza: Plaza, direct: string): Promise<void> {
  for (let round = 0; round < 200; round++) {
    await post({
      url: plaza.chatUrl,
      key: plaza.key,
      body: JSON.stringify({ model: "rig-model", messages: [], stream: true }),
    });
    await post({ url: direct, key: "k", body: JSON.stringify({ model: "m", messages: [], stream: true }) });
  }
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

/** Runs as many streams through the relay as directly, at the same time. */
export async function compareWays(
  relayed: Way,
  straight: Way,
  streams: Streams,
  random: Random,
): Promise<Figure[]> {
  const [through, direct] = await Promise.all([
    manyStreams(relayed, streams, random.fork("plaza")),
    manyStreams(straight, streams, random.fork("direct")),
  ]);
  const whole = through.filter((one) => one !== undefined);
  const broken = Array.from(
    { length: streams.count - whole.length },
    (_, index) => `stream ${index} was not whole`,
  );
  const isQuick = streams.gapMs < usualGapMs;
  return [
    countFigure("P11", `streams arrive whole, a token every ${streams.gapMs} ms`, streams.count, broken),
    ...judgeTimes(
      whole,
      direct.filter((one) => one !== undefined),
      isQuick,
    ),
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
    const direct = `${upstream.baseUrl}/chat/completions`;
    await warm(plaza, direct);
    const way = process.env["RIG_P11"] ?? "";
    const proxy = isCarelessWay(way) ? await startHoldingProxy(plaza.port, carelessWays[way]) : undefined;
    const url =
      proxy === undefined ? plaza.chatUrl : plaza.chatUrl.replace(`:${plaza.port}/`, `:${proxy.port}/`);
    const relayed = { url, key: plaza.key, model: "rig-model" };
    const straight = { url: direct, key: "k", model: "m" };
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

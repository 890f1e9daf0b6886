/**
 * P11: tokens are not held back. Streams at 20 token/s through Plaza beside as many straight from the upstream, in the same
 * seconds; what counts is the difference.
 */
import { monotonicMs, pause } from "./harness/clock.ts";
import { boundFigure, countFigure, type Figure, percentile, type Rig, showMs } from "./harness/figure.ts";
import { post, type Seen } from "./harness/http-client.ts";
import type { Plaza } from "./harness/plaza.ts";
import { type Random, seededRandom } from "./harness/random.ts";
import { eventJson, splitEvents } from "./harness/sse.ts";
import { withPlazaApart } from "./harness/with-plaza.ts";

const gapMs = 50;

/** What one stream showed. Milliseconds. */
interface StreamTimes {
  readonly firstMs: number;
  /** Arrival less the upstream's own stamp, per token. */
  readonly lagsMs: readonly number[];
}

function body(model: string, tokens: number): string {
  return JSON.stringify({
    model,
    messages: [{ role: "user", content: "hello ".repeat(200) }],
    stream: true,
    x_rig: { tokens, gapMs, stamp: true },
  });
}

/** Reads the stamps; undefined when the stream was not whole. */
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

/** Starts `count` streams spread over `overMs` and waits for all. */
async function manyStreams(
  url: string,
  key: string,
  model: string,
  count: number,
  tokens: number,
  overMs: number,
  random: Random,
) {
  const starts = Array.from({ length: count }, () => random.next() * overMs);
  const from = monotonicMs();
  return Promise.all(
    starts.map(async (start) => {
      await pause(Math.max(0, start - (monotonicMs() - from)));
      return timesOf(await post({ url, key, body: body(model, tokens) }), tokens);
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

function figures(through: StreamTimes[], direct: StreamTimes[]): Figure[] {
  const first = (all: StreamTimes[], percent: number): number =>
    percentile(
      all.map((one) => one.firstMs),
      percent,
    );
  const lag = (all: StreamTimes[], percent: number): number =>
    percentile(
      all.flatMap((one) => one.lagsMs),
      percent,
    );
  const added = (name: string, of: typeof first, percent: number, wanted: number): Figure => {
    const figure = boundFigure("P11", name, of(through, percent) - of(direct, percent), wanted);
    const both = `through ${showMs(of(through, percent))}, direct ${showMs(of(direct, percent))}`;
    return { ...figure, reached: `${figure.reached} (${both})` };
  };
  return [
    added("added first-token p50", first, 50, 2),
    added("added first-token p99", first, 99, 10),
    added("added chunk lag p99", lag, 99, 5),
  ];
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({}, async (plaza, upstream) => {
    const [count, tokens, overMs] = size === "long" ? [200, 200, 10_000] : [40, 40, 1000];
    const random = seededRandom(seed);
    const direct = `${upstream.baseUrl}/chat/completions`;
    await warm(plaza, direct);
    const [through, straight] = await Promise.all([
      manyStreams(plaza.chatUrl, plaza.key, "rig-model", count, tokens, overMs, random.fork("plaza")),
      manyStreams(direct, "k", "m", count, tokens, overMs, random.fork("direct")),
    ]);
    const whole = through.filter((one) => one !== undefined);
    const broken = Array.from(
      { length: count - whole.length },
      (_, index) => `stream ${index} was not whole`,
    );
    return [
      countFigure("P11", "streams arrive whole", count, broken),
      ...figures(
        whole,
        straight.filter((one) => one !== undefined),
      ),
    ];
  });

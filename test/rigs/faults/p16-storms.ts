/**
 * P16: retries help but never cause a storm, and Retry-After reaches the caller. Upstreams fail completely
 * for a while in four ways and count their calls. After they recover, the rig measures when callers are
 * served again.
 */

import { countFigure, type Figure, type Rig, zeroFigure } from "../harness/figure.ts";
import { inParallel } from "../harness/http-client.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import {
  type Answered,
  formatOf,
  type TwoUpstreams,
  withTwoUpstreams,
} from "../harness/processes/two-upstreams.ts";
import type { CallRecord } from "../upstream/journal.ts";

const recoveryMs = 10_000;
/** The Retry-After of the fault `status_429_seconds`. */
const retryAfterSeconds = 7;
const width = 8;

interface Outage {
  readonly name: string;
  readonly model: "both" | "single";
  readonly fault: string;
  readonly status: number;
}

const outages: readonly Outage[] = [
  { name: "503, two deployments", model: "both", fault: "status_503", status: 503 },
  { name: "500, one deployment", model: "single", fault: "status_500_body", status: 502 },
  { name: "429, two deployments", model: "both", fault: "status_429_seconds", status: 429 },
  { name: "429, one deployment", model: "single", fault: "status_429_seconds", status: 429 },
];

interface Length {
  /** While upstreams fail: enough for each format's budget to be more than its reserve of five attempts. */
  readonly requests: number;
  /** While they refuse. */
  readonly throttled: number;
  /** Pause of each lane after a request. */
  readonly pauseMs: number;
}

/**
 * Short: as fast as possible. Long: for each outage, a minute of about 100 requests per second.
 */
const lengths: Readonly<Record<"short" | "long", Length>> = {
  short: { requests: 1_000, throttled: 400, pauseMs: 0 },
  long: { requests: 6_000, throttled: 6_000, pauseMs: 75 },
};

/** Calls to each upstream, in order. */
async function callsOf({ first, second }: TwoUpstreams): Promise<CallRecord[][]> {
  return [await first.calls(), await second.calls()];
}

/**
 * Retry-After values sent to callers that do not match the upstreams' values: 7 s for the call that got it,
 * the remaining time for later calls, and the smaller value of two upstreams. Each format's upstreams are
 * others. Rounding and clock differences may cost one second.
 */
function wrongWaits(answers: readonly Answered[], called: readonly (readonly CallRecord[])[]): string[] {
  return answers.flatMap((seen) => {
    const told = Number(seen.headers["retry-after"]);
    const toldMs = Number(seen.headers["retry-after-ms"]);
    const since = called.map(
      (calls) =>
        calls.findLast((call) => call.acceptedAt <= seen.endedAt && formatOf(call) === seen.spoken)
          ?.acceptedAt ?? Number.NaN,
    );
    const left = since
      .filter((at) => !Number.isNaN(at))
      .map((at) => retryAfterSeconds - (seen.endedAt - at) / 1_000);
    const isRight =
      told <= retryAfterSeconds &&
      Math.ceil(toldMs / 1_000) === told &&
      left.some((seconds) => Math.abs(toldMs / 1_000 - seconds) <= 1);
    return isRight
      ? []
      : [`told ${told} s (${toldMs} ms) with ${left.map((one) => one.toFixed(1)).join(", ")} left`];
  });
}

/**
 * Calls to upstreams in the time they asked for, of each format's deployment. After a refusal those under way
 * may arrive, and up to five until it is known that it refuses often (docs/operate/routing.md).
 */
function callsWhileResting(called: readonly (readonly CallRecord[])[]): string[] {
  const mostAfterRefusal = width + 5;
  // Rounding and clocks may cost a second.
  const restMs = (retryAfterSeconds - 1) * 1_000;
  return called.flatMap((calls, upstream) =>
    [...Map.groupBy(calls, formatOf)].flatMap(([format, own]) => {
      const early: string[] = [];
      let restFrom = Number.NEGATIVE_INFINITY;
      let within = 0;
      for (const { acceptedAt, endedAt = acceptedAt } of own) {
        if (acceptedAt >= restFrom + restMs) {
          restFrom = endedAt;
          within = 0;
        } else if (++within > mostAfterRefusal)
          early.push(
            `${format} of upstream ${upstream + 1}: called after ${Math.round(acceptedAt - restFrom)} ms`,
          );
      }
      return early;
    }),
  );
}

async function suffer(stage: TwoUpstreams, outage: Outage, length: Length): Promise<Figure[]> {
  const before = await callsOf(stage);
  await stage.setFault(outage.fault);
  const count = outage.status === 429 ? length.throttled : length.requests;
  const requests = Array.from({ length: count });
  const answers = await inParallel(requests, width, async () => {
    const seen = await stage.ask(outage.model);
    if (length.pauseMs > 0) await pause(length.pauseMs);
    return seen;
  });
  const after = await callsOf(stage);
  const called = after.map((calls, index) => calls.slice(before[index]?.length));
  const attempts = called.reduce((sum, calls) => sum + calls.length, 0);
  const others = answers
    .filter(({ status }) => status !== outage.status)
    .map(({ status }) => `status ${status}`);
  return [
    {
      promise: "P16",
      name: `${outage.name}: attempts`,
      reached: `${attempts} for ${answers.length} requests (${(attempts / answers.length).toFixed(3)})`,
      wanted: "≤ 1.1 x requests",
      ok: attempts > 0 && attempts <= answers.length * 1.1,
      kind: "correct",
    },
    countFigure("P16", `${outage.name}: answers are ${outage.status}`, answers.length, others),
    ...(outage.status === 429
      ? [
          zeroFigure(
            "P16",
            `${outage.name}: Retry-After other than said`,
            answers.length,
            wrongWaits(answers, called),
          ),
          zeroFigure(
            "P16",
            `${outage.name}: calls to an upstream in the time it asked for`,
            attempts,
            callsWhileResting(called),
          ),
        ]
      : []),
    await recover(stage, outage),
  ];
}

/** Repairs the upstreams and sends requests until so many in a row are answered that all formats are back. */
async function recover(stage: TwoUpstreams, { name, model }: Outage): Promise<Figure> {
  await stage.setFault("");
  const mendedAt = monotonicMs();
  let firstOfRow = 0;
  for (let inRow = 0; inRow < 16 && monotonicMs() - mendedAt < 3 * recoveryMs; ) {
    const at = monotonicMs();
    const { status } = await stage.ask(model);
    if (inRow === 0) firstOfRow = at;
    inRow = status === 200 ? inRow + 1 : 0;
    if (inRow === 0) await pause(50);
  }
  const tookMs = firstOfRow - mendedAt;
  return {
    promise: "P16",
    name: `${name}: recovery`,
    reached: `${(tookMs / 1_000).toFixed(1)} s`,
    wanted: `≤ ${recoveryMs / 1_000} s`,
    ok: tookMs <= recoveryMs,
    kind: "correct",
  };
}

/** One of two upstreams fails completely; callers do not notice. */
async function help(stage: TwoUpstreams, requests: number): Promise<Figure> {
  await stage.first.setPlan({ fault: "status_500_body" });
  const answers = await inParallel(Array.from({ length: requests }), width, () => stage.ask("both"));
  await stage.setFault("");
  const refused = answers.filter(({ status }) => status !== 200).map(({ status }) => `status ${status}`);
  return countFigure("P16", "one of two upstreams fails, calls answered", requests, refused);
}

export const run: Rig = ({ size, seed }) =>
  withTwoUpstreams(seed, async (stage) => {
    const length = lengths[size];
    const figures: Figure[] = [await help(stage, size === "long" ? 2_000 : 200)];
    for (const outage of outages) figures.push(...(await suffer(stage, outage, length)));
    return figures;
  });

/**
 * P13: when the caller disconnects, upstream work stops. Callers disconnect at every phase of streams and
 * whole answers; the counting upstream, in a separate process, records when it noticed. Both watch their
 * event loops: a call noticed late only because one of them stalled is repeated, never dropped.
 */
import type { ClientRequest } from "node:http";
import { spokenName } from "../harness/catalog.ts";
import { bodyFor, pathOf, type Route, routeFor } from "../harness/endpoints.ts";
import { countFigure, type Figure, percentile, type Rig, showMs, zeroFigure } from "../harness/figure.ts";
import { inParallel, post } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import { type Stall, stalledMs, waitedForProcessorMs, watchStalls } from "../harness/measure/stalls.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import type { UpstreamProcess } from "../harness/processes/upstream-process.ts";
import { warmUp } from "../harness/processes/warm.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import type { CallRecord } from "../upstream/journal.ts";
import type { Plan } from "../upstream/plan.ts";

const withinMs = 250;
const orphansAfterMs = 5000;
const longMs = 60_000;
/** Maximum repetitions of one call, and of all; further late calls count. */
const againMax = 3;
const againShareMax = 0.05;
const processorSampleMs = 50;
/** Most calls made again because their callers left before the upstream had them. */
const unreachedShareMax = 0.2;

/** When a caller disconnects. */
export interface Phase {
  readonly name: string;
  readonly isStream: boolean;
  readonly plan: Partial<Plan>;
  /** Disconnects when this text has arrived; absent = after a pause. */
  readonly until?: string;
  /** Where the others say something else at that place; absent = any, by the call's id. */
  readonly route?: Route;
}

const phases: readonly Phase[] = [
  { name: "stream, before upstream headers", isStream: true, plan: { headersMs: longMs } },
  { name: "stream, before the first token", isStream: true, plan: { firstMs: longMs } },
  { name: "stream, mid stream", isStream: true, plan: { tokens: 2000, gapMs: 30 }, until: "brown" },
  {
    name: "stream, mid stream while silent",
    isStream: true,
    plan: { tokens: 10, gapMs: longMs },
    until: "The",
  },
  {
    name: "stream, after the finish",
    isStream: true,
    plan: { endMs: longMs },
    until: '"finish_reason":"stop"',
    route: { endpoint: "chat", spoken: "chat" },
  },
  { name: "whole, before upstream headers", isStream: false, plan: { headersMs: longMs } },
  { name: "whole, before the body", isStream: false, plan: { firstMs: longMs } },
  { name: "whole, body dripping", isStream: false, plan: { fault: "one_byte_per_second" } },
];

/** Makes one call and disconnects; resolves with the times before and after the close. */
async function leave(
  plaza: Plaza,
  phase: Phase,
  id: string,
  random: Random,
): Promise<Pick<Left, "leftAt" | "closedAt">> {
  const { isStream } = phase;
  const { endpoint, spoken } = phase.route ?? routeFor(id, random.seed);
  const model = spokenName("rig-model", spoken);
  const call = { model, isStream, maxTokens: 4_000, plan: { ...phase.plan, id }, text: "hello" };
  let leftAt = Number.NaN;
  let closedAt = Number.NaN;
  let seenText = "";
  const close = (call: ClientRequest): void => {
    leftAt = monotonicMs();
    call.destroy();
    closedAt = monotonicMs();
  };
  await post({
    url: plaza.origin + pathOf(endpoint, call),
    key: plaza.key,
    body: bodyFor(endpoint, call),
    withinMs: 20_000,
    onRequest: (call) => {
      if (phase.until === undefined) pause(random.int(40, 400)).then(() => close(call));
    },
    onArrival: (arrival, call) => {
      seenText += arrival.bytes.toString("latin1");
      if (phase.until === undefined || !seenText.includes(phase.until) || !Number.isNaN(leftAt)) return;
      close(call);
    },
  });
  return { leftAt, closedAt };
}

/** A call whose caller disconnected. Monotonic milliseconds; NaN when it did not. */
export interface Left {
  readonly id: string;
  readonly phase: Phase;
  readonly leftAt: number;
  readonly closedAt: number;
}

/** Result for one of them. Milliseconds. */
export interface Noticed {
  readonly left: Left;
  /** Time from the disconnect until the upstream noticed; infinite when it did not. */
  readonly waitMs: number;
  /** Part of that time in which the rig's two loops were stalled. */
  readonly rigLateMs: number;
  readonly end: string;
}

/**
 * Combines a call with the upstream's journal and stalls; undefined for calls that did not reach the
 * upstream, or whose caller did not disconnect.
 */
export function noticed(
  left: Left,
  own: readonly CallRecord[],
  stalls: readonly Stall[],
): Noticed | undefined {
  if (Number.isNaN(left.leftAt) || own.length === 0) return undefined;
  const endedAt = Math.max(
    ...own.map((call) => (call.end === "cancelled" ? (call.endedAt ?? Infinity) : Infinity)),
  );
  return {
    left,
    waitMs: endedAt - left.leftAt,
    rigLateMs: left.closedAt - left.leftAt + stalledMs(stalls, left.closedAt, endedAt),
    end: own.map((call) => call.end).join(),
  };
}

/** True when a call is late, but only because the rig stalled. */
export const isRigsFault = ({ waitMs, rigLateMs }: Noticed): boolean =>
  waitMs > withinMs && waitMs - rigLateMs <= withinMs;

interface Leaving {
  readonly left: readonly Left[];
  readonly seen: readonly Noticed[];
  /** Number of repeated calls, and the rig's longest stall in one of them. */
  readonly again: number;
  readonly longestMs: number;
  /** Number of calls repeated because they had not reached the upstream. */
  readonly unreached: number;
}

function judge(
  { left, seen, again, longestMs, unreached }: Leaving,
  waitedMs: (one: Noticed) => number,
): Figure[] {
  const unknown = left
    .filter(({ leftAt }) => Number.isNaN(leftAt))
    .map(({ phase }) => `${phase.name}: the caller never left`);
  const waits = seen.map(({ waitMs }) => waitMs);
  const late = seen.filter(({ waitMs }) => waitMs > withinMs);
  const share = waits.length === 0 ? 0 : ((waits.length - late.length) / waits.length) * 100;
  const told = (one: Noticed) =>
    `${one.left.phase.name}: ${one.end} after ${showMs(one.waitMs)}, the rig late for ${showMs(one.rigLateMs)}, Plaza's main thread without a processor for ${showMs(waitedMs(one))}`;
  return [
    countFigure("P13", "callers left as planned", left.length, unknown),
    {
      promise: "P13",
      name: "calls that had reached the upstream",
      reached: `${waits.length} of ${left.length}`,
      wanted: "95 %",
      ok: waits.length >= left.length * 0.95,
      kind: "correct",
    },
    {
      promise: "P13",
      name: "calls made again because their callers left before the upstream had them",
      reached: String(unreached),
      wanted: "printed only",
      ok: true,
      kind: "correct",
    },
    {
      promise: "P13",
      name: `cancel seen upstream ≤ ${withinMs} ms`,
      reached: `${share.toFixed(1)} % of ${waits.length} (p50 ${showMs(percentile(waits, 50))}, p99 ${showMs(percentile(waits, 99))}, worst ${showMs(Math.max(...waits))})`,
      wanted: "99 %",
      ok: share >= 99,
      kind: "timing",
      misses: late.slice(0, 10).map(told),
    },
    {
      promise: "P13",
      name: "calls made again because the rig's own loops stood still",
      reached: `${again}, at most ${showMs(longestMs)}`,
      wanted: "printed only",
      ok: true,
      kind: "timing",
    },
  ];
}

/** Samples every few milliseconds how long Plaza's main thread has waited for a CPU. */
function watchProcessor(pid: number): { waitedMs(from: number, to: number): number; stop(): void } {
  const samples: { at: number; waited: number }[] = [];
  const timer = setInterval(
    () => samples.push({ at: monotonicMs(), waited: waitedForProcessorMs(pid) }),
    processorSampleMs,
  );
  return {
    waitedMs(from, to) {
      const before = samples.findLast(({ at }) => at <= from)?.waited ?? 0;
      const after = samples.find(({ at }) => at >= to) ?? samples.at(-1);
      return (after?.waited ?? before) - before;
    },
    stop: () => clearInterval(timer),
  };
}

interface Case {
  readonly id: string;
  readonly phase: Phase;
}

async function leaveAll(
  plaza: Plaza,
  upstream: UpstreamProcess,
  cases: readonly Case[],
  random: Random,
): Promise<Leaving> {
  const againAtMost = Math.ceil(cases.length * againShareMax);
  const kept = new Map<string, { left: Left; seen: Noticed | undefined }>();
  const unreachedAtMost = Math.ceil(cases.length * unreachedShareMax);
  let again = 0;
  let unreached = 0;
  let longestMs = 0;
  let due = cases;
  for (let round = 0; due.length > 0; round++) {
    const suffix = round === 0 ? "" : `-again-${round}`;
    const left = await inParallel(due, 20, async ({ id, phase }) => {
      const own = `${id}${suffix}`;
      return { id: own, phase, ...(await leave(plaza, phase, own, random.fork(own))) };
    });
    await eventually(async () => (await upstream.state()).active.length === 0, orphansAfterMs);
    const byId = Map.groupBy(await upstream.calls(), (call) => call.id);
    const stalls = await upstream.stalls();
    const late: Case[] = [];
    for (const [index, one] of left.entries()) {
      const { id, phase } = due[index] as Case;
      const seen = noticed(one, byId.get(one.id) ?? [], stalls);
      kept.set(id, { left: one, seen });
      if (seen === undefined && round < againMax && unreached < unreachedAtMost) {
        unreached++;
        late.push({ id, phase });
      }
      if (seen === undefined || !isRigsFault(seen)) continue;
      longestMs = Math.max(longestMs, seen.rigLateMs);
      if (round < againMax && again < againAtMost) {
        again++;
        late.push({ id, phase });
      }
    }
    due = late;
  }
  const all = [...kept.values()];
  return {
    left: all.map(({ left }) => left),
    seen: all.flatMap(({ seen }) => seen ?? []),
    again,
    longestMs,
    unreached,
  };
}

/** Event loop delays of the rig, whether or not they affected a call. */
function latenessFigure(ours: readonly Stall[], upstreams: readonly Stall[]): Figure {
  const longest = (stalls: readonly Stall[]) =>
    `${stalls.length} stalls, the longest ${showMs(Math.max(0, ...stalls.map(({ from, to }) => to - from)))}`;
  return {
    promise: "P13",
    name: "the rig's own loops",
    reached: `callers ${longest(ours)}; upstream ${longest(upstreams)}`,
    wanted: "printed only",
    ok: true,
    kind: "timing",
  };
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({ upstream: { watchesStalls: true } }, async (plaza, upstream) => {
    const count = size === "long" ? 1000 : 100;
    const cases = Array.from({ length: count }, (_, index) => ({
      id: `p13-${index}`,
      phase: phases[index % phases.length] as Phase,
    }));
    // Callers leave after 40 ms at the earliest: a process that has just started may not have called yet.
    await warmUp(plaza, 600);
    const ours = watchStalls();
    const processor = watchProcessor(plaza.pid);
    const all = await leaveAll(plaza, upstream, cases, seededRandom(seed));
    const { active } = await upstream.state();
    processor.stop();
    ours.stop();
    return [
      ...judge(all, ({ left, waitMs }) => processor.waitedMs(left.leftAt, left.leftAt + waitMs)),
      latenessFigure(ours.stalls, await upstream.stalls()),
      zeroFigure("P13", `orphans ${orphansAfterMs / 1000} s after the last abort`, count, active),
    ];
  });

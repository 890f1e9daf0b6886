/**
 * P13: when the caller leaves, upstream work stops. Callers leave at every phase of streams and whole answers; the counting
 * upstream, in its own process, says when it noticed.
 */
import { eventually, monotonicMs, pause } from "./harness/clock.ts";
import { countFigure, type Figure, percentile, type Rig, showMs, zeroFigure } from "./harness/figure.ts";
import { inParallel, post } from "./harness/http-client.ts";
import { type Random, seededRandom } from "./harness/random.ts";
import { withPlazaApart } from "./harness/with-plaza.ts";
import type { CallRecord } from "./upstream/journal.ts";
import type { Plan } from "./upstream/plan.ts";

const withinMs = 250;
const orphansAfterMs = 5000;
const longMs = 60_000;

/** When a caller leaves. */
interface Phase {
  readonly name: string;
  readonly isStream: boolean;
  readonly plan: Partial<Plan>;
  /** Leaves when this text has arrived; absent = after a pause. */
  readonly until?: string;
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
  },
  { name: "whole, before upstream headers", isStream: false, plan: { headersMs: longMs } },
  { name: "whole, before the body", isStream: false, plan: { firstMs: longMs } },
  { name: "whole, body dripping", isStream: false, plan: { fault: "one_byte_per_second" } },
];

/** Makes one call and leaves; resolves with the moment of leaving. */
async function leave(url: string, key: string, phase: Phase, id: string, random: Random): Promise<number> {
  const body = JSON.stringify({
    model: "rig-model",
    messages: [{ role: "user", content: "hello" }],
    stream: phase.isStream,
    x_rig: { ...phase.plan, id },
  });
  let leftAt = Number.NaN;
  let seenText = "";
  await post({
    url,
    key,
    body,
    withinMs: 20_000,
    onRequest: (call) => {
      if (phase.until !== undefined) return;
      pause(random.int(40, 400)).then(() => {
        leftAt = monotonicMs();
        call.destroy();
      });
    },
    onArrival: (arrival, call) => {
      seenText += arrival.bytes.toString("latin1");
      if (phase.until === undefined || !seenText.includes(phase.until) || !Number.isNaN(leftAt)) return;
      leftAt = monotonicMs();
      call.destroy();
    },
  });
  return leftAt;
}

interface Left {
  readonly id: string;
  readonly phase: Phase;
  readonly leftAt: number;
}

function judge(left: readonly Left[], calls: readonly CallRecord[]): Figure[] {
  const byId = Map.groupBy(calls, (call) => call.id);
  const late: string[] = [];
  const unknown: string[] = [];
  const waits: number[] = [];
  for (const { id, phase, leftAt } of left) {
    const own = byId.get(id) ?? [];
    if (Number.isNaN(leftAt)) unknown.push(`${phase.name}: the caller never left`);
    if (Number.isNaN(leftAt) || own.length === 0) continue;
    const wait = Math.max(
      ...own.map((call) => (call.end === "cancelled" ? (call.endedAt ?? Infinity) - leftAt : Infinity)),
    );
    waits.push(wait);
    if (wait > withinMs)
      late.push(`${phase.name}: ${own.map((call) => call.end).join()} after ${showMs(wait)}`);
  }
  const share = waits.length === 0 ? 0 : ((waits.length - late.length) / waits.length) * 100;
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
      name: `cancel seen upstream ≤ ${withinMs} ms`,
      reached: `${share.toFixed(1)} % of ${waits.length} (p50 ${showMs(percentile(waits, 50))}, p99 ${showMs(percentile(waits, 99))})`,
      wanted: "99 %",
      ok: share >= 99,
      kind: "timing",
      misses: late.slice(0, 10),
    },
  ];
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({}, async (plaza, upstream) => {
    const count = size === "long" ? 1000 : 100;
    const random = seededRandom(seed);
    const cases = Array.from({ length: count }, (_, index) => ({
      id: `p13-${index}`,
      phase: phases[index % phases.length] as Phase,
    }));
    const left = await inParallel(cases, 20, async ({ id, phase }) => ({
      id,
      phase,
      leftAt: await leave(plaza.chatUrl, plaza.key, phase, id, random.fork(id)),
    }));
    const isQuiet = await eventually(
      async () => (await upstream.state()).active.length === 0,
      orphansAfterMs,
    );
    const orphans = isQuiet ? [] : (await upstream.state()).active.map((id) => phaseOf(id));
    return [
      ...judge(left, await upstream.calls()),
      zeroFigure("P13", `orphans ${orphansAfterMs / 1000} s after the last abort`, count, orphans),
    ];
  });

function phaseOf(id: string): string {
  const index = Number(id.replace("p13-", ""));
  return `${id}: ${phases[index % phases.length]?.name ?? "?"}`;
}

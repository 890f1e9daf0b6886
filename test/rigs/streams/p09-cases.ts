/**
 * P09's cases: what an upstream of each format would write for a caller of each endpoint, where it stops, and
 * how its connection ends.
 */
import type { EndpointName, Route } from "../harness/endpoints.ts";
import { endpointNames } from "../harness/endpoints.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { finishReasons } from "../harness/sse.ts";
import { findStream, owedBytes, recordedStreams } from "../harness/streams/streams.ts";
import { soundScript } from "../upstream/answer.ts";
import { defaultPlan, type Plan, planOver } from "../upstream/plan.ts";
import type { Step } from "../upstream/script.ts";

const hows = ["end", "fin", "truncate", "rst"] as const;

/** What an upstream writes for one route: the events of a stream, or one body. */
export interface Written {
  readonly route: Route;
  readonly isStream: boolean;
  readonly plan: Partial<Plan>;
}

export interface CutCase extends Written {
  readonly id: string;
  /** What would have been written. */
  readonly steps: readonly Step[];
  /** Bytes of it that are. */
  readonly bytes: number;
  readonly how: (typeof hows)[number];
  /** Callers of chat get the usage of streams only if they ask for it. */
  readonly isUsageAsked: boolean;
}

/** The steps of a call with this id. */
export function stepsOf({ route, isStream, plan }: Written, id: string): readonly Step[] {
  const asked = { authorization: "", address: "", leaks: [], model: "upstream-model", isUsageAsked: true };
  const full = planOver(defaultPlan, plan);
  return soundScript(full, { ...asked, callId: id, format: route.spoken, isStream }).steps;
}

const bytesBefore = (steps: readonly Step[], event: number): number =>
  steps.slice(0, event).reduce((sum, { bytes }) => sum + bytes.length, 0);

/** The end of the last event's data. What has all bytes up to here is not cut. */
function endOf(steps: readonly Step[]): number {
  const last = steps.at(-1)?.bytes.toString("latin1") ?? "";
  return bytesBefore(steps, steps.length - 1) + last.trimEnd().length;
}

/** A case, made when its turn comes, since there are many and each has its own bytes. */
export type MakeCase = () => CutCase;
type PlaceOf = (steps: readonly Step[], random: Random) => number;

/** Makes the cases of a run one after the other. */
function cutter(seed: number) {
  const all = seededRandom(seed);
  let count = 0;
  return (written: Written, placeOf: PlaceOf, how?: CutCase["how"]): MakeCase => {
    // Ids are equally long, so that streams that repeat theirs are, too.
    const id = `p09-${String(count++).padStart(6, "0")}`;
    return () => {
      const random = all.fork(id);
      const steps = stepsOf(written, id);
      return {
        ...written,
        id,
        steps,
        bytes: placeOf(steps, random),
        how: how ?? random.pick(hows),
        isUsageAsked: written.route.endpoint !== "chat" || random.chance(0.5),
      };
    };
  };
}

const ownFormat = (name: EndpointName): Route => ({ endpoint: name, spoken: name });
const routes: readonly Route[] = endpointNames.flatMap((endpoint) =>
  endpointNames.map((spoken) => ({ endpoint, spoken })),
);

/** Answers of generated streams, in the spellings of several vendors. */
const shapes: readonly Partial<Plan>[] = [
  { tokens: 6, commentEvery: 2 },
  { tokens: 5, text: "zh", python: true },
  { tokens: 5, text: "emoji", crlf: true },
  { tokens: 4, tools: 2 },
];
/** For cuts at every byte. */
const small: Partial<Plan> = { tokens: 2 };

const generated = (route: Route, plan: Partial<Plan>, isStream = true): Written => ({
  route,
  isStream,
  // Vendors of chat send usage on request, which Plaza always makes.
  plan: { usage: "always", ...plan },
});

const recorded: readonly Written[] = recordedStreams.map(({ name }) => ({
  route: ownFormat("chat"),
  isStream: true,
  plan: { replay: name },
}));

const before =
  (event: number): PlaceOf =>
  (steps) =>
    bytesBefore(steps, event);
const beforeLast = (steps: readonly Step[]): number => bytesBefore(steps, steps.length - 1);
const anywhere: PlaceOf = (steps, random) => random.int(1, endOf(steps) - 1);
const boundary: PlaceOf = (steps, random) => bytesBefore(steps, random.int(0, steps.length - 2));
const inLast: PlaceOf = (steps, random) => random.int(beforeLast(steps) + 1, endOf(steps) - 1);

/** A seeded sample with the most important places. */
function someCases(seed: number): MakeCase[] {
  const cut = cutter(seed);
  const ofRecorded = recorded.flatMap((written) => {
    const { events = [] } = findStream(written.plan.replay ?? "") ?? {};
    const finish = events.findIndex((piece) => finishReasons(piece).length > 0);
    const places = [before(finish), before(finish + 1), boundary, boundary, beforeLast, anywhere];
    return places.map((placeOf) => cut(written, placeOf));
  });
  const ofRoutes = routes.flatMap((route, index) => {
    const shape = shapes[(index + Math.floor(index / 4) + seed) % shapes.length];
    const written = generated(route, shape ?? small);
    const places = [boundary, boundary, beforeLast, anywhere, anywhere, inLast];
    return [
      ...places.map((placeOf) => cut(written, placeOf)),
      cut({ ...written, isStream: false }, anywhere),
    ];
  });
  return [...ofRecorded, ...ofRoutes];
}

/**
 * Every event of every stream in every way; every byte of a small answer on every route, streamed and whole.
 */
function allCases(seed: number): MakeCase[] {
  const cut = cutter(seed);
  const streams = [...recorded, ...routes.flatMap((route) => shapes.map((plan) => generated(route, plan)))];
  const atEvents = streams.flatMap((written) =>
    stepsOf(written, "").flatMap((_, event) => hows.map((how) => cut(written, before(event), how))),
  );
  const inside = recorded.flatMap((written) => Array.from({ length: 40 }, () => cut(written, anywhere)));
  const atBytes = routes.flatMap((route) =>
    [true, false].flatMap((isStream) => {
      const written = generated(route, small, isStream);
      const bytes = endOf(stepsOf(written, "p09-000000"));
      return Array.from({ length: bytes }, (_, byte) => cut(written, () => byte));
    }),
  );
  return [...atEvents, ...inside, ...atBytes];
}

export const cutCases = (size: "short" | "long", seed: number): MakeCase[] =>
  size === "long" ? allCases(seed) : someCases(seed);

/**
 * Number of complete events: those with their blank line, and optionally a last one that lacks only that, as
 * some clients accept at the end of a body.
 */
export function wholeEvents({ steps, bytes }: CutCase): readonly [least: number, most: number] {
  let events = 0;
  let left = bytes;
  for (const one of steps) {
    if (one.bytes.length > left) break;
    left -= one.bytes.length;
    events += 1;
  }
  const next = steps[events]?.bytes.toString("latin1") ?? "";
  const isOnlyLineEndMissing = left > 0 && next.slice(0, left).trimEnd() === next.trimEnd();
  return [events, isOnlyLineEndMissing ? events + 1 : events];
}

/**
 * The bytes that a caller of the upstream's own format must get for this many events. Messages' reason to
 * stop is kept back with the marker.
 */
export function owedFor({ route, plan, steps, isUsageAsked }: CutCase, events: number): Buffer {
  const sent = steps.slice(0, events);
  const kept = route.endpoint === "messages" ? sent.filter(({ isFinish }) => !isFinish) : sent;
  const pieces = kept.map(({ bytes }) => bytes);
  const stream = findStream(plan.replay ?? "");
  if (isUsageAsked) return Buffer.concat(pieces);
  const usageOnly = stream?.usageOnly ?? kept.flatMap(({ hasUsage }, index) => (hasUsage ? [index] : []));
  return owedBytes({ name: "", bytes: Buffer.concat(pieces), events: pieces, usageOnly }, false);
}

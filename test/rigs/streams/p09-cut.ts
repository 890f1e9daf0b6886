/**
 * P09: a cut answer is never presented as complete. Every recorded stream is cut at event boundaries (and
 * inside events) in every way a connection can end; the caller must get an in-band error and no invented
 * content.
 */
import { countFigure, type Rig } from "../harness/figure.ts";
import { inParallel, post, type Seen } from "../harness/http-client.ts";
import { withPlaza } from "../harness/processes/with-plaza.ts";
import { type Random, seededRandom } from "../harness/random.ts";
import { errorCode } from "../harness/raw-client.ts";
import { readWithSdk } from "../harness/sdk.ts";
import { finishReasons, inBandError, isDone, splitEvents } from "../harness/sse.ts";
import { owedBytes, type RecordedStream, recordedStreams } from "../harness/streams/streams.ts";

const hows = ["end", "fin", "truncate", "rst"] as const;

export interface CutCase {
  readonly stream: RecordedStream;
  /** Bytes the upstream sends. */
  readonly bytes: number;
  /** Complete events in them. */
  readonly events: number;
  readonly how: (typeof hows)[number];
  readonly isUsageAsked: boolean;
}

function bytesBefore(stream: RecordedStream, event: number): number {
  return stream.events.slice(0, event).reduce((sum, piece) => sum + piece.length, 0);
}

function cutAfter(stream: RecordedStream, bytes: number, random: Random, how?: CutCase["how"]): CutCase {
  const events = splitEvents(stream.bytes.subarray(0, bytes));
  const last = events.at(-1);
  const isWhole = last === undefined || stream.events[events.length - 1]?.length === last.length;
  return {
    stream,
    bytes,
    events: isWhole ? events.length : events.length - 1,
    how: how ?? random.pick(hows),
    isUsageAsked: random.chance(0.5),
  };
}

/** The cases: all boundaries in all ways, or a seeded sample with the most important ones. */
function cutCases(size: "short" | "long", seed: number): CutCase[] {
  const random = seededRandom(seed);
  return recordedStreams.flatMap((stream) => {
    const count = stream.events.length;
    const inside = Array.from({ length: size === "long" ? 40 : 1 }, () =>
      random.int(1, bytesBefore(stream, count - 1) - 1),
    );
    if (size === "long") {
      const boundaries = Array.from({ length: count }, (_, event) => bytesBefore(stream, event));
      return [
        ...boundaries.flatMap((bytes) => hows.map((how) => cutAfter(stream, bytes, random, how))),
        ...inside.map((bytes) => cutAfter(stream, bytes, random)),
      ];
    }
    const finish = stream.events.findIndex((piece) => finishReasons(piece).length > 0);
    const events = [0, 1, finish, finish + 1, count - 1, random.int(2, count - 2), random.int(2, count - 2)];
    return [...events.map((event) => bytesBefore(stream, event)), ...inside].map((bytes) =>
      cutAfter(stream, bytes, random),
    );
  });
}

/**
 * Number of complete events: those with their blank line, and optionally a last one that lacks only that, as
 * some clients accept at the end of a body.
 */
function wholeEvents(one: CutCase): [number, number] {
  const next = one.stream.events[one.events]?.toString("latin1") ?? "";
  const part = one.stream.bytes.toString("latin1", bytesBefore(one.stream, one.events), one.bytes);
  const isOnlyLineEndMissing = part !== "" && part.trimEnd() === next.trimEnd();
  return [one.events, isOnlyLineEndMissing ? one.events + 1 : one.events];
}

/** The bytes a caller must get for this many events. */
function owedOf(one: CutCase, events: number): Buffer {
  const bytes = one.stream.bytes.subarray(0, bytesBefore(one.stream, events));
  return owedBytes({ ...one.stream, bytes, events: one.stream.events.slice(0, events) }, one.isUsageAsked);
}

/** Describes what is wrong with the caller's bytes; undefined = correct. Pure. */
export function judgeCut(one: CutCase, seen: Pick<Seen, "status" | "body" | "isWhole">): string | undefined {
  if (seen.status >= 500) {
    return errorCode(seen.body) === undefined ? `status ${seen.status} without the error shape` : undefined;
  }
  if (seen.status !== 200) return `status ${seen.status}`;
  if (!seen.isWhole) return "the caller's own connection was cut";
  const pieces = splitEvents(seen.body);
  const last = pieces.at(-1);
  const error = last === undefined ? undefined : inBandError(last);
  if (typeof error?.code !== "string" || typeof error.message !== "string")
    return "the last event is no error";
  if (pieces.some(isDone)) return "[DONE] after a cut";
  const relayed = Buffer.concat(pieces.slice(0, -1));
  const owed = owedBytes(one.stream, one.isUsageAsked);
  if (!relayed.equals(owed.subarray(0, relayed.length))) return "bytes the upstream never sent";
  if (one.how === "rst") return undefined;
  const [least, most] = wholeEvents(one).map((events) => owedOf(one, events).length) as [number, number];
  const isRight = relayed.length === least || relayed.length === most;
  return isRight ? undefined : `${relayed.length} bytes relayed of ${least}`;
}

function describe(one: CutCase, why: string): string {
  return `${one.stream.name} after ${one.bytes} bytes (${one.events} of ${one.stream.events.length} events), ${one.how}: ${why}`;
}

export const run: Rig = ({ size, seed }) =>
  withPlaza({}, async (plaza) => {
    const cases = cutCases(size, seed);
    const misses: string[] = [];
    const sdkMisses: string[] = [];
    await inParallel(cases, 8, async (one) => {
      const body = JSON.stringify({
        model: "rig-model",
        messages: [{ role: "user", content: "hello" }],
        stream: true,
        ...(one.isUsageAsked ? { stream_options: { include_usage: true } } : {}),
        x_rig: { replay: one.stream.name, cutByte: one.bytes, how: one.how },
      });
      const seen = await post({ url: plaza.chatUrl, key: plaza.key, body, withinMs: 20_000 });
      const why = judgeCut(one, seen);
      if (why !== undefined) misses.push(describe(one, why));
      const view = await readWithSdk(seen.status, seen.headers["content-type"] ?? "", seen.body);
      if (view.error === undefined) sdkMisses.push(describe(one, "the SDK saw a normal end"));
    });
    return [
      countFigure("P09", "cut streams end with an error event, nothing invented", cases.length, misses),
      countFigure("P09", "the official SDK throws on a cut stream", cases.length, sdkMisses),
    ];
  });

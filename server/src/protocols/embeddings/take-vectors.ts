/** What readers of other formats share: vectors by their marks, and what beside the texts they cannot say. */
import { isRecord } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import { Leftovers } from "../leftovers.ts";
import { type CutAnswer, vectorAt } from "./cut-vectors.ts";
import { readFloats } from "./read-floats.ts";
import type { EmbeddingsRequest } from "./request.ts";

/** Numbers that are read at once: two to three milliseconds. */
const sliceValues = 40_000;
/** No model has longer vectors. */
const dimensionsMax = 65_536;

/**
 * The vectors whose marks these values are, one for each of `count` texts; undefined where there are more or
 * fewer, or one holds something else than finite 32-bit floats.
 */
export function* takeVectors(
  body: Buffer,
  cut: CutAnswer,
  marks: readonly unknown[],
  count: number,
): Sliced<readonly Float32Array[] | undefined> {
  if (marks.length !== count) return undefined;
  const vectors: Float32Array[] = [];
  let values = 0;
  for (const mark of marks) {
    if (values >= sliceValues) {
      values = 0;
      yield;
    }
    const span = vectorAt(cut, mark);
    if (span?.kind !== "numbers") return undefined;
    const room = new Float32Array(Math.min(Math.ceil((span.end - span.start + 1) / 2), dimensionsMax));
    const read = readFloats(body, span.start, span.end, room);
    if (read <= 0) return undefined;
    values += read;
    // A copy of its own size: the room has some for separators.
    vectors.push(room.slice(0, read));
  }
  return vectors;
}

/** Values that say who calls, for bookkeeping at OpenAI: left out and told. */
const told: ReadonlySet<string> = new Set(["user", "safety_identifier", "metadata"]);
/** Values that ask for what every upstream does. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  stream: (value) => value === false,
};

/**
 * Holds the caller's other fields against what a format can say; `used` are the names it reads. Throws
 * `Untranslatable` naming the first that cannot be said, unless the caller allowed to leave it out.
 */
export function leftoversOf(
  { others, dropsParams }: EmbeddingsRequest,
  used: ReadonlySet<string> = new Set(),
): Leftovers {
  const leftovers = new Leftovers(dropsParams);
  for (const [name, value] of Object.entries(others)) {
    if (used.has(name) || (Object.hasOwn(harmless, name) && harmless[name]?.(value) === true)) continue;
    if (told.has(name)) leftovers.note(name);
    else leftovers.leaveOut(name.slice(0, 100));
  }
  return leftovers;
}

/** A list of objects; undefined where it is something else. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  return Array.isArray(value) && value.every(isRecord) ? value : undefined;
}

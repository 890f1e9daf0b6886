/** Shared by the embeddings decoders: vectors by their placeholders, and handling of unsupported fields. */
import { isRecord } from "../../lib/record.ts";
import type { Sliced } from "../../lib/time/slices.ts";
import { Leftovers } from "../leftovers.ts";
import { type CutAnswer, vectorAt } from "./cut-vectors.ts";
import { readFloats } from "./read-floats.ts";
import { type EmbeddingsRequest, hintsIn } from "./request.ts";

/** Numbers read before yielding: two to three milliseconds. */
const sliceValues = 40_000;
/** Longest vector accepted; no model has longer ones. */
const dimensionsMax = 65_536;

/**
 * The vectors for these placeholders, one per text. Undefined when the number differs from `count`, or one
 * contains anything but finite 32-bit floats.
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
    // A copy of the exact size; the shared buffer has room for separators.
    vectors.push(room.slice(0, read));
  }
  return vectors;
}

/** Fields that identify the caller for OpenAI's bookkeeping: dropped and reported. */
const dropped: ReadonlySet<string> = new Set(["user", "safety_identifier", "metadata"]);
/** Values that ask for what every upstream does anyway. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  stream: (value) => value === false,
};

/**
 * Checks the caller's other fields against what a format supports; `used` are the names it reads, of hints
 * too. Throws `Untranslatable` for the first unsupported one, unless the caller allowed dropping it.
 */
export function leftoversOf(
  { others, hints, dropsParams }: EmbeddingsRequest,
  used: ReadonlySet<string> = new Set(),
): Leftovers {
  const leftovers = new Leftovers(dropsParams);
  for (const [name, value] of Object.entries(others)) {
    if (used.has(name) || (Object.hasOwn(harmless, name) && harmless[name]?.(value) === true)) continue;
    if (dropped.has(name)) leftovers.note(name);
    else leftovers.leaveOut(name.slice(0, 100));
  }
  for (const name of hintsIn(hints)) if (!used.has(name)) leftovers.note(name);
  return leftovers;
}

/** A list of objects; undefined for anything else. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  return Array.isArray(value) && value.every(isRecord) ? value : undefined;
}

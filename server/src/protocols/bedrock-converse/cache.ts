/** Cache marks (`cache_control`) of the caller's → cache points, which stand behind what they mark. */
import type { JsonRecord } from "../../lib/record.ts";
import { readMark } from "../anthropic-messages/cache.ts";
import type { ModelRules } from "./models.ts";
import type { CachePoint } from "./wire.ts";

/** The protocol's limit, over tools, system and messages. */
const pointsMax = 4;

/**
 * The point that stands behind what these records of the caller's describe; undefined where none is marked, or the model caches nothing
 * there: a mark says what could be cheaper, not what is wanted of the answer.
 */
export function cachePointAfter(
  raws: readonly (JsonRecord | undefined)[],
  { cache }: ModelRules,
  place: "tools" | "messages",
): CachePoint | undefined {
  if (cache === "none" || (cache === "messages" && place === "tools")) return undefined;
  for (const raw of raws) {
    if (raw?.["cache_control"] === undefined) continue;
    const mark = readMark(raw, "");
    if (mark === undefined) continue;
    const ttl = cache === "long" ? mark.ttl : undefined;
    return { cachePoint: { type: "default", ...(ttl === undefined ? {} : { ttl }) } };
  }
  return undefined;
}

const isPoint = (block: object): boolean => "cachePoint" in block;

/** Leaves no more points than the protocol takes: the last ones, which reach furthest. In the order of the prompt. */
export function limitPoints(lists: readonly object[][]): void {
  let tooMany = lists.reduce((sum, list) => sum + list.filter(isPoint).length, 0) - pointsMax;
  for (const list of lists) {
    for (let index = 0; tooMany > 0 && index < list.length; index += 1) {
      const block = list[index];
      if (block === undefined || !isPoint(block)) continue;
      list.splice(index, 1);
      index -= 1;
      tooMany -= 1;
    }
  }
}

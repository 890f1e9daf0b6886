/** Cache marks (`cache_control`) of the caller's → cache points, which stand behind what they mark. */
import type { CacheMark } from "../../conversation/blocks.ts";
import { controlOf } from "../claude/cache.ts";
import type { ModelRules } from "./models.ts";
import type { CachePoint } from "./wire.ts";

/** The protocol's limit, over tools, system and messages. */
const pointsMax = 4;

/**
 * The point that stands behind what the first of these marks is on; undefined where none is marked, or the
 * model caches nothing there: a mark says what could be cheaper, not what is wanted of the answer.
 */
export function cachePointAfter(
  marks: readonly (CacheMark | undefined)[],
  { cache }: ModelRules,
  place: "tools" | "messages",
): CachePoint | undefined {
  if (cache === "none" || (cache === "messages" && place === "tools")) return undefined;
  const control = controlOf(marks.find((mark) => mark !== undefined));
  if (control === undefined) return undefined;
  const ttl = cache === "long" ? control.ttl : undefined;
  return { cachePoint: { type: "default", ...(ttl === undefined ? {} : { ttl }) } };
}

const isPoint = (block: object): boolean => "cachePoint" in block;

/**
 * Leaves no more points than the protocol takes: the last ones, which reach
 * furthest. In the order of the prompt.
 */
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

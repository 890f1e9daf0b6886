/**
 * Encodes the caller's cache marks (`cache_control`) as cache points, which come after the content they mark.
 */
import type { CacheMark } from "../../conversation/blocks.ts";
import { controlOf } from "../claude/cache.ts";
import type { ModelRules } from "./models.ts";
import type { CachePoint } from "./wire.ts";

/** The protocol's limit, across tools, system and messages. */
const pointsMax = 4;

/**
 * The cache point for the first of these marks; undefined when there is no mark or the model caches nothing
 * there. A mark only saves cost, so dropping it does not change the answer.
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
 * Removes points above the protocol's limit. The last ones are kept, because they cover the longest prefix.
 * `lists`: in prompt order.
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

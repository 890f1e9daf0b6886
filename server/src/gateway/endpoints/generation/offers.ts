/**
 * Tools that an upstream would run and bill by the call, where a request only offers them: it has tools of
 * the caller's own beside them, and does not insist on one (docs/decisions/0009).
 */
import type { ValueSpan } from "../../../lib/json/spans.ts";
import type { Offer } from "../../dispatch/without-offers.ts";

/** The paths of hosted tools that the request insists on, and those that may be left out. */
export interface HostedTools {
  readonly demanded: readonly string[];
  /** undefined = none. */
  readonly offers: readonly Offer[] | undefined;
}

/**
 * Sorts the hosted tools of a list. `items`: all tools; `hosted`: indices, ascending; `isDemanded`: true for
 * an index that the choice of tools names, or when nothing may be left out.
 */
export function sortHosted(
  items: readonly ValueSpan[],
  hosted: readonly number[],
  isDemanded: (index: number) => boolean,
): HostedTools {
  const hasOwn = hosted.length < items.length;
  const left = hasOwn ? hosted.filter((index) => !isDemanded(index)) : [];
  const firstKept = items.findIndex((_, index) => !left.includes(index));
  return {
    demanded: hosted.filter((index) => !left.includes(index)).map(pathOf),
    offers:
      left.length === 0
        ? undefined
        : left.map((index) => ({ path: pathOf(index), cut: cutOf(items, index, firstKept) })),
  };
}

const pathOf = (index: number): string => `tools[${index}]`;

/** The item at `index` with one comma: the one before it, where an item that stays is before it. */
export function cutOf(items: readonly ValueSpan[], index: number, firstKept: number): ValueSpan {
  const { start, end } = items[index] as ValueSpan;
  const before = items[index - 1];
  if (before !== undefined && firstKept < index) return { start: before.end, end };
  return { start, end: items[index + 1]?.start ?? end };
}

/** Which point of a chart a key leads to. Tested without a component. */

/** Points that Page Up and Page Down pass over. */
const leap = 7;

/** The next point of `0 … last`, starting at `at`, or at the end without one; undefined for other keys. */
export function pointAfter(key: string, at: number | undefined, last: number): number | undefined {
  const before = (step: number): number => Math.max(0, (at ?? last + 1) - step);
  const after = (step: number): number => Math.min(last, (at ?? -1) + step);
  const points: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => before(1),
    ArrowDown: () => before(1),
    ArrowRight: () => after(1),
    ArrowUp: () => after(1),
    PageDown: () => before(leap),
    PageUp: () => after(leap),
    Home: () => 0,
    End: () => last,
  };
  return Object.hasOwn(points, key) ? points[key]?.() : undefined;
}

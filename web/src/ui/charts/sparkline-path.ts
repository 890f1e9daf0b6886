/** Where the line of a sparkline goes. Tested without a component. */

/** The size of the drawing; it is stretched to its place. */
export const width = 100;
export const height = 28;
/** Room for half the line at top and bottom. */
const edge = 1.5;

/** The line as an SVG path; a gap begins it anew. */
export function sparklinePath(heights: readonly (number | null)[]): string {
  const highest = Math.max(...heights.map((one) => one ?? 0), 0);
  const step = heights.length > 1 ? width / (heights.length - 1) : 0;
  let isOpen = false;
  let path = "";
  for (const [index, one] of heights.entries()) {
    if (one === null) {
      isOpen = false;
      continue;
    }
    const share = highest === 0 ? 0 : one / highest;
    const y = height - edge - share * (height - 2 * edge);
    path += `${isOpen ? "L" : "M"}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    isOpen = true;
  }
  return path;
}

/** The 48 half hours of a strip as the server writes them. Pure; knows no words. */

export const stripStates = ["available", "degraded", "down", "none"] as const;
export type StripState = (typeof stripStates)[number];

const states: Readonly<Record<string, StripState>> = { a: "available", d: "degraded", x: "down" };

/** The state of each half hour, oldest first. A letter of a later version reads as no request. */
export const statesOf = (strip: string): readonly StripState[] =>
  [...strip].map((letter) => states[letter] ?? "none");

/** How many half hours have each state; states without any are left out. */
export function countsOf(strip: string): readonly (readonly [state: StripState, count: number])[] {
  const all = statesOf(strip);
  return stripStates.flatMap((state) => {
    const count = all.filter((one) => one === state).length;
    return count === 0 ? [] : [[state, count] as const];
  });
}

/** Units of the drawing: a bar of 4 and a gap of 1 for each half hour. */
export const barStep = 5;
export const stripHeight = 20;
/** The better, the higher: a state is told by its height, too. */
const heights: Readonly<Record<StripState, number>> = { available: 20, degraded: 13, down: 7, none: 2 };

/** One path for all half hours of a state, which keeps a page of hundreds of strips light. */
export function pathOf(strip: string, state: StripState): string {
  const height = heights[state];
  return statesOf(strip)
    .flatMap((one, index) =>
      one === state ? [`M${index * barStep} ${stripHeight - height}h4v${height}h-4z`] : [],
    )
    .join("");
}

/** Pure: when a figure of the shipped catalog is too old to be taken without a look at the vendor's page. */

/** A figure of more days than these is old. */
export const oldAfterDays = 60;

const day = 86_400_000;

/** The first day, in UTC, on which a figure of a day ("2026-09-23") is old. */
export const oldFrom = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + (oldAfterDays + 1) * day).toISOString().slice(0, 10);

/** Is a figure of a day old by now? */
export const isOld = (date: string, now: Date): boolean => now.toISOString().slice(0, 10) >= oldFrom(date);

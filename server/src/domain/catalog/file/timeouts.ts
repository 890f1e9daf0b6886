/** The timers of an upstream, and those of a deployment that differ from it, in a catalog file. */
import type { Timeouts } from "@plaza/contract/catalog.ts";
import { catalogMax } from "@plaza/contract/catalog-values.ts";
import { type Reading, readDurationMs, readFields, type Spot } from "./reading.ts";

const timeoutFields = {
  connect: "connectMs",
  firstByte: "firstByteMs",
  firstToken: "firstTokenMs",
  idle: "idleMs",
  total: "totalMs",
} as const satisfies Record<string, keyof Timeouts>;

/** The keys of timeouts. */
export const timeoutNames = Object.keys(timeoutFields) as (keyof typeof timeoutFields)[];

/** The timers given in the file. */
export function readTimeouts(reading: Reading, spot: Spot | undefined): Partial<Timeouts> {
  const timeouts: { -readonly [Name in keyof Timeouts]?: number } = {};
  const fields = spot === undefined ? {} : (readFields(reading, spot, timeoutNames) ?? {});
  for (const name of timeoutNames) {
    const field = fields[name];
    if (field !== undefined)
      timeouts[timeoutFields[name]] = readDurationMs(reading, field, 1, catalogMax.timeoutMs);
  }
  return timeouts;
}

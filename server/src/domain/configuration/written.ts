/** The values of a configuration file as they are written, and small conversions to them. Pure. */
import type { Limits, Timeouts } from "@plaza/contract/catalog.ts";
import { formatDuration } from "../../lib/units.ts";

/** A value in the file. */
export type Written = string | number | boolean | null | readonly Written[] | WrittenFields;
/** Fields in the order of the file; undefined ones are left out. */
export interface WrittenFields {
  readonly [name: string]: Written | undefined;
}

/** A time without what is zero: `2027-01-01`, `2027-01-01T08:30:00Z`. */
export function timeText(unixMs: number): string {
  return new Date(unixMs)
    .toISOString()
    .replace(/(?:T00:00:00)?\.000Z$/, (zeros) => (zeros.startsWith("T") ? "" : "Z"));
}

/** Limits in one order; undefined when there are none. */
export function limitFields(limits: Limits | undefined): WrittenFields | undefined {
  const { requestsPerMinute, tokensPerMinute, concurrency } = limits ?? {};
  const all = [requestsPerMinute, tokensPerMinute, concurrency];
  return all.every((limit) => limit === undefined)
    ? undefined
    : { requestsPerMinute, tokensPerMinute, concurrency };
}

const timers = {
  connect: "connectMs",
  firstByte: "firstByteMs",
  firstToken: "firstTokenMs",
  idle: "idleMs",
  total: "totalMs",
} as const satisfies Record<string, keyof Timeouts>;

/** The timers that differ from the defaults; undefined when none does. */
export function timeoutFields(
  timeouts: Partial<Timeouts> | undefined,
  defaults: Partial<Timeouts> = {},
): WrittenFields | undefined {
  const own = Object.entries(timers).flatMap(([name, key]) => {
    const ms = timeouts?.[key];
    return ms === undefined || ms === defaults[key] ? [] : [[name, formatDuration(ms)] as const];
  });
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** A list, or undefined when it is empty. */
export const unlessEmpty = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

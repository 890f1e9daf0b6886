/** Dates and times in a catalog file → Unix milliseconds. Has no clock. */
import { message } from "@plaza/contract/messages/message.ts";
import { fault, type Reading, readText, type Spot } from "./reading.ts";

const earliestMs = Date.UTC(2000, 0);
const latestMs = Date.UTC(2100, 0);
export const timeForm = message("file.time");
const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/;

/**
 * Unix milliseconds of a date (its start) or time in UTC; undefined for any other form and for days that do
 * not exist.
 */
export function parseTimeMs(text: string): number | undefined {
  if (!timePattern.test(text)) return undefined;
  const ms = Date.parse(text);
  // Date.parse reads the 30th of February as the 1st of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  return ms;
}

/** Unix milliseconds of a date (its start) or time in UTC; 0 after a fault. */
export function readTimeMs(reading: Reading, spot: Spot): number {
  const read = readText(reading, spot, timeForm);
  if (read === undefined) return 0;
  const ms = parseTimeMs(read.text);
  if (ms !== undefined && ms >= earliestMs && ms < latestMs) return ms;
  const refused = { given: read.shown, form: timeForm };
  fault(reading, spot, message(ms === undefined ? "file.notTime" : "file.timeOutside", refused));
  return 0;
}

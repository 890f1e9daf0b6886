/** Readers of values that several sections of a configuration file have: names, amounts. */
import { message } from "@plaza/contract/messages/message.ts";
import { type NanoUsd, nanoUsd, parseUsd, usdFault } from "@plaza/contract/money.ts";
import { fault, missing, type Reading, readLine, readText, type Spot } from "../catalog/file/reading.ts";

/** As in the console's forms. */
const nameLengthMax = 200;

/** The value of a field that may be absent. */
export const optional = <T>(field: Spot | undefined, read: (spot: Spot) => T): T | undefined =>
  field === undefined ? undefined : read(field);

/** An amount in US dollars, in quotes; 0 after a fault. */
export function readUsd(reading: Reading, spot: Spot): NanoUsd {
  const form = message("file.amount");
  const read = readText(reading, spot, form);
  if (read === undefined) return nanoUsd(0n);
  if (usdFault(read.text) === undefined) return parseUsd(read.text);
  fault(reading, spot, message("file.notForm", { given: read.shown, form }));
  return nanoUsd(0n);
}

/** A name for people; "" after a fault, and when it is missing. */
export function readName(reading: Reading, parent: Spot, field: Spot | undefined): string {
  const what = message("file.aName");
  if (field !== undefined) return readLine(reading, field, what, nameLengthMax);
  missing(reading, parent, "name", message("file.give", { what }));
  return "";
}

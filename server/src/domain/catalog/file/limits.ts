/** Limits in a catalog file: of accounts, of the installation, of a model. */
import type { Limits } from "@plaza/contract/catalog.ts";
import { quote } from "../../../lib/quote.ts";
import { limitForm, parseLimit } from "../../limits/limit-number.ts";
import { fault, type Reading, readFields, type Spot } from "./reading.ts";

/** One limit; 0 after a fault. */
function readLimit(reading: Reading, spot: Spot): number {
  const { part } = spot;
  const isNumber = part.kind === "other" && typeof part.value === "number";
  if (isNumber) {
    const limit = parseLimit(part.source);
    if (typeof limit === "number") return limit;
    fault(reading, spot, `${quote(part.source)} ${limit.fault}; must be ${limitForm}`);
    return 0;
  }
  const given = part.kind === "other" && part.source !== "" ? `${quote(part.source)} is not a number; ` : "";
  const unquoted = part.kind === "text" && /^\d+$/.test(part.text) ? ", without quotes" : "";
  fault(reading, spot, `${given}must be ${limitForm}${unquoted}`);
  return 0;
}

/** Limits by kind; one the file does not give is none. */
export function readLimits(reading: Reading, spot: Spot): Limits {
  const fields = readFields(reading, spot, ["requestsPerMinute", "tokensPerMinute", "concurrency"]) ?? {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, readLimit(reading, field)]));
}

/** The same where no limit at all is undefined. */
export function readOptionalLimits(reading: Reading, spot: Spot | undefined): Limits | undefined {
  const limits = spot === undefined ? {} : readLimits(reading, spot);
  return Object.keys(limits).length === 0 ? undefined : limits;
}

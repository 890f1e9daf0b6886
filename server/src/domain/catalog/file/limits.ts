/** Rate limits in a catalog file: of accounts, the installation, and models. */

import type { Limits } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { quote } from "../../../lib/quote.ts";
import { limitForm, parseLimit } from "../../limits/number.ts";
import { fault, notForm, type Reading, readFields, type Spot } from "./reading.ts";

/** The keys of limits. */
export const limitNames = ["requestsPerMinute", "tokensPerMinute", "concurrency"] as const;

/** One limit; 0 after a fault. */
function readLimit(reading: Reading, spot: Spot): number {
  const { part } = spot;
  const isNumber = part.kind === "other" && typeof part.value === "number";
  if (isNumber) {
    const limit = parseLimit(part.source);
    if (typeof limit === "number") return limit;
    fault(
      reading,
      spot,
      message("price.limitRefused", {
        given: quote(part.source),
        fault: limit.fault,
        form: limitForm,
      }),
    );
    return 0;
  }
  fault(
    reading,
    spot,
    part.kind === "other" && part.source !== ""
      ? message("price.limitRefused", { given: quote(part.source), fault: "not_a_number", form: limitForm })
      : notForm(part, limitForm),
  );
  return 0;
}

/** Limits by kind; those missing in the file are none. */
export function readLimits(reading: Reading, spot: Spot): Limits {
  const fields = readFields(reading, spot, limitNames) ?? {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, readLimit(reading, field)]));
}

/** Like `readLimits`, but undefined without any limit. */
export function readOptionalLimits(reading: Reading, spot: Spot | undefined): Limits | undefined {
  const limits = spot === undefined ? {} : readLimits(reading, spot);
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** For tests: targets of calls. */
import type { CallTarget } from "../endpoint.ts";

/** Of a path without a wildcard, called without a query. */
export const plainTarget: CallTarget = { tail: "", query: "" };

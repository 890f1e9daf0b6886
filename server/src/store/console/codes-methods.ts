/** Redemption codes and pages of the ledger: the SQL of `codes.ts`. */

import type { CodesStore } from "./codes.ts";
import type { MethodsOptions } from "./methods-options.ts";

export function createCodesMethods(_options: MethodsOptions): CodesStore {
  return {};
}

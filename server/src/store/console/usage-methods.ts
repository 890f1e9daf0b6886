/** Numbers and rows of requests: the SQL of `usage.ts`. */
import type { MethodsOptions } from "./methods-options.ts";
import type { UsageStore } from "./usage.ts";

export function createUsageMethods(_options: MethodsOptions): UsageStore {
  return {};
}

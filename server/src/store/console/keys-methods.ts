/** API keys and accounts as the console changes them, and passes: the SQL of `keys.ts`. */

import type { KeysStore } from "./keys.ts";
import type { MethodsOptions } from "./methods-options.ts";

export function createKeysMethods(_options: MethodsOptions): KeysStore {
  return {};
}

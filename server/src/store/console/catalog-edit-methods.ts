/** Upstreams, models and limits as the console changes them: the SQL of `catalog-edit.ts`. */

import type { CatalogEditStore } from "./catalog-edit.ts";
import type { MethodsOptions } from "./methods-options.ts";

export function createCatalogEditMethods(_options: MethodsOptions): CatalogEditStore {
  return {};
}

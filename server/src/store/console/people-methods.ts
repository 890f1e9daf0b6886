/** Users, sessions, links, operator tokens and failed attempts: the SQL of `people.ts`. */
import type { MethodsOptions } from "./methods-options.ts";
import type { PeopleStore } from "./people.ts";

export function createPeopleMethods(_options: MethodsOptions): PeopleStore {
  return {};
}

/**
 * Languages of the console beyond English and Chinese, which `users.language` is limited to. Columns:
 * `../sql/schema-console.ts`. Servers before it go on: they do not read it, and such a user's language is for
 * them what the browser says.
 */
import type { Migration } from "./migration.ts";

const steps = ["alter table users add column locale text"];

export const localesOfUsers: Migration = {
  version: 36,
  name: "locales_of_users",
  kind: "expand",
  isIndependent: true,
  sqlite: steps,
  postgres: steps,
};

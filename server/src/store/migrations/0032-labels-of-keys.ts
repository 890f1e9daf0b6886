/**
 * A key's project and tags, by which usage is grouped. Columns: `../sql/schema-console.ts`. Servers of before
 * 32 go on: they name the columns they insert, and read nothing of these.
 *
 * A contract, although it only adds, for the reason of migration 27. Until it has run no key has labels.
 */
import type { Migration } from "./migration.ts";

const steps = ["alter table api_keys add column project text", "alter table api_keys add column tags text"];

export const labelsOfKeys: Migration = {
  version: 32,
  name: "labels_of_keys",
  kind: "contract",
  needs: 23,
  sqlite: steps,
  postgres: steps,
};

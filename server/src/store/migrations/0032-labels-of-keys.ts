/**
 * A key's project and tags, by which usage is grouped. Columns: `../sql/schema-console.ts`. Servers before it
 * go on: they name the columns they insert, and read nothing of these.
 */
import type { Migration } from "./migration.ts";

const steps = ["alter table api_keys add column project text", "alter table api_keys add column tags text"];

export const labelsOfKeys: Migration = {
  version: 32,
  name: "labels_of_keys",
  kind: "expand",
  isIndependent: true,
  sqlite: steps,
  postgres: steps,
};

/** The preset of an upstream, and its provider's own options. Columns: `../schema.ts`. */
import type { Migration } from "../migration.ts";

const statements = (isObject: string): string[] => [
  "alter table upstreams add column preset text",
  `alter table upstreams add column options text check (${isObject})`,
];

export const upstreamPresets: Migration = {
  version: 9,
  name: "upstream-presets",
  kind: "expand",
  sqlite: statements("json_type(options) = 'object'"),
  postgres: statements("json_typeof(options::json) = 'object'"),
};

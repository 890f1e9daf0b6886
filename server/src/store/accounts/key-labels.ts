/** A key's project and tags: their columns, conditions on them, and the labels that keys have. */
import { type Kysely, type RawBuilder, sql, type Updateable } from "kysely";
import { containing } from "../sql/expressions.ts";
import type { ApiKeysTable, Database } from "../sql/schema.ts";
import type { FoundLabels, KeyLabels, KeyScope, LabelSearch } from "./keys.ts";

/** The tags of a row. */
export const tagsOf = (text: string | null): string[] =>
  text === null || text === "" ? [] : (JSON.parse(text) as string[]);

interface GivenLabels {
  readonly project?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** The columns to write of what is given. */
export function labelColumns({
  project,
  tags,
}: GivenLabels): Pick<Updateable<ApiKeysTable>, "project" | "tags"> {
  return {
    ...(project === undefined ? {} : { project }),
    ...(tags === undefined ? {} : { tags: tags.length === 0 ? null : JSON.stringify(tags) }),
  };
}

const within = (column: string, condition: RawBuilder<unknown>, isIn: boolean): RawBuilder<boolean> =>
  sql`${sql.raw(column)} ${sql.raw(isIn ? "in" : "not in")} (select made.id from api_keys made where ${condition})`;

const either = (parts: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  parts.length === 0 ? sql`false` : sql`(${sql.join(parts, sql` or `)})`;

/** In a JSON list a quote after a bracket or a comma always opens an element. */
const hasTag = (tag: string): RawBuilder<boolean> => {
  const text = JSON.stringify(tag);
  return sql`(replace(made.tags, ${`[${text}`}, '') <> made.tags or replace(made.tags, ${`,${text}`}, '') <> made.tags)`;
};

/** Filters by label; "" stands for keys without one, and for keys that are not there. */
export interface LabelFilter {
  readonly projects?: readonly string[] | undefined;
  /** A key with one of them matches. */
  readonly tags?: readonly string[] | undefined;
}

/** The condition that a column names a key with these labels. */
export function keyHasLabels(column: string, { projects, tags }: LabelFilter): RawBuilder<boolean> {
  const parts: RawBuilder<boolean>[] = [];
  if (projects !== undefined) {
    const named = projects.filter((project) => project !== "");
    const ways = named.length === 0 ? [] : [within(column, sql`made.project in (${sql.join(named)})`, true)];
    if (named.length < projects.length) ways.push(within(column, sql`made.project is not null`, false));
    parts.push(either(ways));
  }
  if (tags !== undefined) {
    const named = tags.filter((tag) => tag !== "").map(hasTag);
    const ways = named.length === 0 ? [] : [within(column, either(named), true)];
    if (named.length < tags.length) ways.push(within(column, sql`made.tags is not null`, false));
    parts.push(either(ways));
  }
  return parts.length === 0 ? sql`true` : sql`${sql.join(parts, sql` and `)}`;
}

/**
 * The ids of the keys with these labels, of these accounts only if given. Undefined where there are more than
 * `max`, and where the filter has "", which also stands for keys that are not there.
 */
export async function findLabelledKeys(
  db: Kysely<Database>,
  { projects, tags, accounts }: LabelFilter & { readonly accounts?: readonly string[] | undefined },
  max: number,
): Promise<string[] | undefined> {
  if (projects?.includes("") === true || tags?.includes("") === true) return undefined;
  if (accounts?.length === 0) return [];
  const rows = await db
    .selectFrom("api_keys")
    .select("id")
    .where(keyHasLabels("api_keys.id", { projects, tags }))
    .$if(accounts !== undefined, (query) => query.where("account_id", "in", [...(accounts ?? [])]))
    .limit(max + 1)
    .execute();
  return rows.length > max ? undefined : rows.map(({ id }) => id);
}

const inOrder = (labels: Iterable<string>): string[] => [...new Set(labels)].toSorted();

interface LabelRow {
  readonly project: string | null;
  readonly tags: string | null;
}

/** The labels of keys, each once. */
const labelsIn = (rows: readonly LabelRow[]): KeyLabels => ({
  projects: inOrder(rows.flatMap(({ project }) => (project === null ? [] : [project]))),
  tags: inOrder(rows.flatMap(({ tags }) => tagsOf(tags))),
});

/** The labels of the keys in scope. */
export async function listKeyLabels(
  db: Kysely<Database>,
  { accountId, createdBy }: KeyScope,
): Promise<KeyLabels> {
  const rows = await db
    .selectFrom("api_keys")
    .select(["project", "tags"])
    .distinct()
    .where("account_id", "=", accountId)
    .$if(createdBy !== undefined, (query) => query.where("created_by", "=", createdBy ?? ""))
    .where((eb) => eb.or([eb("project", "is not", null), eb("tags", "is not", null)]))
    .execute();
  return labelsIn(rows);
}

/** Most different pairs of a project and tags that are read for `findLabels`. */
const pairsMax = 10_000;

/** The labels of keys of any account; of many, those that a search finds. */
export async function findLabels(
  db: Kysely<Database>,
  { accounts, search = "", max }: LabelSearch,
): Promise<FoundLabels> {
  if (accounts?.length === 0) return { projects: [], tags: [], isWhole: true };
  // As it stands in a JSON list.
  const within = JSON.stringify(search).slice(1, -1);
  const rows = await db
    .selectFrom("api_keys")
    .select(["project", "tags"])
    .distinct()
    .where((eb) => eb.or([eb("project", "is not", null), eb("tags", "is not", null)]))
    .$if(accounts !== undefined, (query) => query.where("account_id", "in", [...(accounts ?? [])]))
    .$if(search !== "", (query) =>
      query.where((eb) => eb.or([containing(eb.ref("project"), search), containing(eb.ref("tags"), within)])),
    )
    .limit(pairsMax + 1)
    .execute();
  const wanted = search.toLowerCase();
  const { projects, tags } = labelsIn(rows);
  const found = [projects, tags].map((labels) =>
    labels.filter((label) => label.toLowerCase().includes(wanted)),
  );
  return {
    projects: found[0]?.slice(0, max) ?? [],
    tags: found[1]?.slice(0, max) ?? [],
    isWhole: rows.length <= pairsMax && found.every(({ length }) => length <= max),
  };
}

/** Reads users and tokens of a new-api (or one-api) database into a draft. Pure: the rows are passed in. */
import { decimalOf } from "./amounts.ts";
import type { Draft } from "./draft.ts";
import {
  budgetOfRest,
  digestOfSecret,
  expiryOfKey,
  KeyDoubts,
  modelsOfKey,
  networksOfKey,
  tagsOfKey,
} from "./draft-keys.ts";

/** A row of `users` or `tokens`; older versions lack some columns. */
export type NewApiRow = Readonly<Record<string, unknown>>;

/** Quota is counted in this part of a dollar. */
const dollarsPerQuota = "0.000002";

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : String(value).trim();
const isTrue = (value: unknown): boolean => value === true || Number(value) === 1;
const dollarsOf = (quota: unknown): string | undefined =>
  Number(quota) <= 0 ? "0" : decimalOf([textOf(quota), dollarsPerQuota]);
const isGone = (row: NewApiRow): boolean => textOf(row["deleted_at"]) !== "";

function addToken(draft: Draft, row: NewApiRow, users: ReadonlyMap<string, NewApiRow>): void {
  const id = textOf(row["id"]);
  const name = textOf(row["name"]) || `token ${id}`;
  const where = `token ${id} (${name})`;
  const user = users.get(textOf(row["user_id"]));
  const secret = `sk-${textOf(row["key"]).replace(/^sk-/, "")}`;
  const digest = digestOfSecret(secret);
  if (user === undefined || digest === undefined) {
    draft.leave(where, user === undefined ? "its user is gone" : "it is too short to be safe: create a key");
    return;
  }
  const userId = textOf(user["id"]);
  const account = draft.account(
    `new-api-user-${userId}`,
    `${textOf(user["username"]) || userId} (new-api)`,
    Number(user["status"]) === 1,
  );
  const doubts = new KeyDoubts(draft, where, Number(row["status"]) === 1);
  const limited = isTrue(row["model_limits_enabled"]);
  const expiresAt = Number(row["expired_time"] ?? -1);
  const ips = networksOfKey(textOf(row["allow_ips"]).split(/[\s,]+/), doubts);
  const models = limited
    ? modelsOfKey(textOf(row["model_limits"]).split(",").map(textOf), draft, doubts)
    : undefined;
  const budget = isTrue(row["unlimited_quota"])
    ? undefined
    : budgetOfRest(dollarsOf(row["remain_quota"]), doubts);
  const expires = expiresAt === -1 ? undefined : expiryOfKey(expiresAt * 1_000, doubts);
  const group = textOf(row["group"]);
  const tags = group === "default" ? undefined : tagsOfKey([group], doubts);
  account.keys.push({
    id: `new-api-token-${id}`,
    name: `${name} (new-api)`.slice(0, 200),
    digest,
    visiblePrefix: secret.slice(0, 7),
    ...{ models, ips, budget, expires, tags },
    isActive: doubts.isActive,
  });
}

/** Adds an account for each user that has tokens; balances are told, because no file sets them. */
export function addNewApiKeys(
  draft: Draft,
  { users, tokens }: { readonly users: readonly NewApiRow[]; readonly tokens: readonly NewApiRow[] },
): void {
  const byId = new Map(users.filter((row) => !isGone(row)).map((row) => [textOf(row["id"]), row]));
  for (const row of tokens) if (!isGone(row)) addToken(draft, row, byId);
  for (const [id, user] of byId) {
    const account = draft.accounts.get(`new-api-user-${id}`);
    const dollars = dollarsOf(user["quota"]);
    if (account === undefined || dollars === undefined || !/[1-9]/.test(dollars)) continue;
    draft.leave(
      `the balance of ${account.name}: ${dollars} USD`,
      `after plaza apply: plaza topup ${account.id} ${dollars}`,
    );
  }
}

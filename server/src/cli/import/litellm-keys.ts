/** Reads the virtual keys that a LiteLLM proxy lists (`/key/list`) into a draft. Pure. */
import { isRecord, recordOf } from "../../lib/record.ts";
import type { Draft, DraftKey } from "./draft.ts";
import { budgetOfRest, expiryOfKey, KeyDoubts, limitsOfKey, modelsOfKey, tagsOfKey } from "./draft-keys.ts";

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A page of keys: its rows, and whether there are more. */
export interface LitellmKeys {
  readonly rows: readonly Fields[];
  readonly isLast: boolean;
}

export function readKeyPage(answer: unknown, page: number): LitellmKeys {
  if (!isRecord(answer) || !Array.isArray(answer["keys"])) throw new Error("it lists no keys at /key/list");
  const rows = answer["keys"].filter(isRecord);
  return { rows, isLast: rows.length === 0 || page >= Number(answer["total_pages"] ?? page) };
}

/** Lists that stand for what others may. */
const allModels = new Set(["all-proxy-models"]);
const othersModels = /^(?:all-team-models|no-default-models|all-org-models)$/;

const periods: Readonly<Record<string, "day" | "month">> = {
  "1d": "day",
  "24h": "day",
  "30d": "month",
  "1mo": "month",
};

/** Dollars with at most nine decimals. */
const dollarsOf = (value: number): string | undefined =>
  Number.isFinite(value) && value < 1e9
    ? Math.max(0, value)
        .toFixed(9)
        .replace(/\.?0+$/, "")
    : undefined;

function budgetOf(row: Fields, doubts: KeyDoubts): DraftKey["budget"] {
  const { max_budget: max, budget_duration: duration, spend } = row;
  if (typeof max !== "number") return undefined;
  const amount = dollarsOf(max);
  if (typeof duration !== "string" || duration === "")
    return budgetOfRest(dollarsOf(max - Number(spend ?? 0)), doubts);
  const period = periods[duration];
  if (amount === undefined || !/[1-9]/.test(amount)) return doubts.disable("set a budget");
  if (period === undefined) return doubts.disable(`set a budget: ${amount} USD in ${duration} there`);
  return { amount, period };
}

function modelsOf(row: Fields, draft: Draft, doubts: KeyDoubts): readonly string[] | undefined {
  const names = Array.isArray(row["models"]) ? row["models"].map(textOf) : [];
  if (names.some((name) => allModels.has(name))) return undefined;
  if (names.some((name) => othersModels.test(name)) || (names.length === 0 && textOf(row["team_id"]) !== ""))
    return doubts.disable("its models were those of its team; name them");
  return names.length === 0 ? undefined : modelsOfKey(names, draft, doubts);
}

/** What an operator wrote in `metadata.tags`. */
function tagsOf(row: Fields, doubts: KeyDoubts): readonly string[] | undefined {
  const tags = recordOf(row["metadata"])["tags"];
  return Array.isArray(tags) ? tagsOfKey(tags.map(textOf), doubts) : undefined;
}

/** ISO 8601, in UTC where it says nothing. */
const timeOf = (text: string): number => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

/** Adds a key to the account of its team. */
export function addLitellmKey(draft: Draft, row: Fields): void {
  const digest = textOf(row["token"]);
  const shown = textOf(row["key_name"]) || "sk-...";
  const where = `key ${textOf(row["key_alias"]) || shown}`;
  if (!/^[0-9a-f]{64}$/.test(digest)) {
    draft.leave(where, "the proxy does not tell its digest: create a key with plaza key create");
    return;
  }
  const doubts = new KeyDoubts(draft, where, row["blocked"] !== true);
  const team = textOf(row["team_id"]);
  const account =
    team === ""
      ? draft.account("litellm", "LiteLLM")
      : draft.account(`litellm-${team}`, `LiteLLM team ${team}`);
  const expires = textOf(row["expires"]);
  const models = modelsOf(row, draft, doubts);
  const budget = budgetOf(row, doubts);
  const tags = tagsOf(row, doubts);
  const expiry = expires === "" ? undefined : expiryOfKey(timeOf(expires), doubts);
  account.keys.push({
    id: `litellm-${digest.slice(0, 16)}`,
    name: `${textOf(row["key_alias"]) || shown} (LiteLLM)`.slice(0, 200),
    digest,
    visiblePrefix: shown.slice(0, 64),
    models,
    limits: limitsOfKey({
      requestsPerMinute: row["rpm_limit"],
      tokensPerMinute: row["tpm_limit"],
      concurrency: row["max_parallel_requests"],
    }),
    budget,
    expires: expiry,
    tags,
    isActive: doubts.isActive,
  });
}

/**
 * Accounts and keys that an import brings along: a key's digest, never its secret. Where Plaza cannot say
 * exactly what a key may do, it may do less, and that is told. Pure.
 */

import { labelFault, labelLengthMax, tagsMax } from "@plaza/contract/labels.ts";
import { timeText } from "../../domain/configuration/written.ts";
import { checkImportedKeyShape, digestApiKey } from "../../domain/keys/api-key.ts";
import { parseNetwork } from "../../lib/net/address.ts";
import { plainText, type YamlMapping } from "../connect/yaml.ts";
import type { Draft, DraftAccount, DraftKey } from "./draft.ts";

/** Collects why a key does not work at once. */
export class KeyDoubts {
  readonly #draft: Draft;
  readonly #where: string;
  isActive: boolean;

  constructor(draft: Draft, where: string, isActive: boolean) {
    this.#draft = draft;
    this.#where = where;
    this.isActive = isActive;
  }

  /** The key comes along disabled. */
  disable(why: string): undefined {
    this.#draft.leave(this.#where, `it is disabled here: ${why}, then enable it`);
    this.isActive = false;
    return undefined;
  }

  tell(what: string, why: string): void {
    this.#draft.leave(`${this.#where}: ${what}`, why);
  }
}

/** The digest of a secret; undefined for one that Plaza would not look up. */
export const digestOfSecret = (secret: string): string | undefined =>
  checkImportedKeyShape(secret) ? digestApiKey(secret) : undefined;

/** What is left of an amount for all time becomes a monthly budget: Plaza has none for all time. */
export function budgetOfRest(dollars: string | undefined, doubts: KeyDoubts): DraftKey["budget"] {
  if (dollars === undefined) return doubts.disable("set a budget");
  if (!/[1-9]/.test(dollars)) return doubts.disable("its budget is used up; set one");
  doubts.tell(
    `a budget for all time, of which ${dollars} USD is left`,
    "that is its monthly budget here; change it if that is too much",
  );
  return { amount: dollars, period: "month" };
}

/** The models, by their ids here. Patterns are told, and a key that named nothing else is disabled. */
export function modelsOfKey(
  names: readonly string[],
  draft: Draft,
  doubts: KeyDoubts,
): readonly string[] | undefined {
  const plain = names.filter((name) => name !== "" && !name.includes("*"));
  if (plain.length < names.length) doubts.tell("patterns of models", "name the models it may use");
  if (plain.length > 0) return [...new Set(plain.map((name) => draft.idOf(name)))];
  return doubts.disable("name the models it may use");
}

/** Networks; a key with one that cannot be read is disabled rather than open to all. */
export function networksOfKey(texts: readonly string[], doubts: KeyDoubts): readonly string[] | undefined {
  const given = texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== "");
  if (given.length === 0) return undefined;
  if (given.every((text) => parseNetwork(text) !== undefined)) return given;
  return doubts.disable("its list of addresses cannot be read; enter it");
}

/** An expiry in Unix milliseconds. */
export function expiryOfKey(ms: number, doubts: KeyDoubts): string | undefined {
  if (Number.isFinite(ms) && ms > 0 && ms < Date.UTC(9999, 11, 31))
    return timeText(Math.floor(ms / 1_000) * 1_000);
  return doubts.disable("its expiry cannot be read; set it");
}

/** Limits that are whole numbers of at least 0. */
export function limitsOfKey(given: Readonly<Record<string, unknown>>): DraftKey["limits"] {
  const limits = Object.entries(given).flatMap(([name, value]) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? [[name, value as number] as const] : [],
  );
  return limits.length === 0 ? undefined : Object.fromEntries(limits);
}

/** Tags; undefined without any. What cannot be one is told. */
export function tagsOfKey(given: readonly string[], doubts: KeyDoubts): readonly string[] | undefined {
  const named = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
  const fit = named.filter((tag) => labelFault(tag) === undefined);
  if (fit.length < named.length)
    doubts.tell(
      `${named.length - fit.length} of its tags`,
      `a tag is one line of at most ${labelLengthMax} characters`,
    );
  if (fit.length > tagsMax)
    doubts.tell(`tags beyond the first ${tagsMax}`, "give the key the tags that matter: plaza key labels");
  return fit.length === 0 ? undefined : fit.slice(0, tagsMax);
}

const keyFields = ({ isActive, models, ips, tags, ...key }: DraftKey): YamlMapping => ({
  ...key,
  name: plainText(key.name),
  visiblePrefix: plainText(key.visiblePrefix),
  status: isActive ? "active" : "disabled",
  models: models?.map(plainText),
  ips,
  tags: tags?.map(plainText),
});

/** An account as an entry of the file. */
export const accountFields = ({ id, name, isActive, keys }: DraftAccount): YamlMapping => ({
  id,
  name: plainText(name),
  status: isActive ? undefined : "suspended",
  keys: keys.map(keyFields),
});

/**
 * Compares what a file wants with what is stored, and says what of it cannot be done. Pure. Accounts and keys
 * that are not in the file are left alone, or with `prunes` suspended and disabled; nothing is ever deleted.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { quote } from "../../lib/quote.ts";
import { accountFields, keyFields, settingsFields, userFields } from "./account-fields.ts";
import type {
  AccountConfiguration,
  Configuration,
  KeyConfiguration,
  StoredConfiguration,
  StoredKey,
  UserConfiguration,
} from "./shapes.ts";
import type { Written, WrittenFields } from "./written.ts";

/** A field with its values in the file's form; undefined: it is not set. */
export interface FieldChange {
  readonly name: string;
  readonly before: Written | undefined;
  readonly after: Written | undefined;
}

/** `-`: suspended or disabled, because the file does not list it. */
export interface ItemChange {
  readonly sign: "+" | "~" | "-";
  readonly kind: "settings" | "account" | "key" | "user";
  /** An id, or the email address of a user; "" for the settings. */
  readonly id: string;
  /** For `~`. */
  readonly fields: readonly FieldChange[];
}

/** Why the file cannot be applied, at a path of the file. */
export interface ConfigurationFault {
  readonly path: string;
  readonly message: Message;
}

export interface ConfigurationDifference {
  readonly changes: readonly ItemChange[];
  readonly faults: readonly ConfigurationFault[];
}

/** The fields that differ, in the order of the file. */
export function changedFields(before: WrittenFields, after: WrittenFields): FieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ name, before: old, after: now }];
  });
}

interface Comparison {
  readonly changes: ItemChange[];
  readonly faults: ConfigurationFault[];
}

function refuse({ faults }: Comparison, path: string, found: Message): void {
  faults.push({ path, message: found });
}

function addChange(
  { changes }: Comparison,
  kind: ItemChange["kind"],
  id: string,
  before: WrittenFields | undefined,
  after: WrittenFields,
): void {
  if (before === undefined) {
    changes.push({ sign: "+", kind, id, fields: [] });
    return;
  }
  const fields = changedFields(before, after);
  if (fields.length > 0) changes.push({ sign: "~", kind, id, fields });
}

function keyFault(
  key: KeyConfiguration,
  accountId: string,
  stored: StoredKey | undefined,
  holder: string | undefined,
): { field: string; found: Message } | undefined {
  const { id, digest, visiblePrefix } = key;
  if (holder !== undefined && holder !== id)
    return { field: "digest", found: message("file.digestTaken", { id: holder }) };
  if (stored === undefined) return undefined;
  if (stored.accountId !== accountId)
    return { field: "id", found: message("file.keyOfOther", { id, account: stored.accountId }) };
  if (stored.status === "revoked") return { field: "id", found: message("file.keyRevoked", { id }) };
  if (stored.digest !== digest || stored.visiblePrefix !== visiblePrefix)
    return { field: "digest", found: message("file.keyOther", { id }) };
  return undefined;
}

function compareAccounts(
  comparison: Comparison,
  stored: StoredConfiguration,
  accounts: readonly AccountConfiguration[],
  prunes: boolean,
): void {
  const accountsNow = new Map(stored.accounts.map((one) => [one.id, one]));
  const keysNow = new Map(stored.keys.map((one) => [one.id, one]));
  const keysOf = Map.groupBy(stored.keys, ({ accountId }) => accountId);
  const holders = new Map(stored.keys.map(({ id, digest }) => [digest, id]));
  const seen = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    const path = `accounts[${index}]`;
    const now = accountsNow.get(account.id);
    if (now?.status === "closed")
      refuse(comparison, `${path}.id`, message("file.accountClosed", { id: account.id }));
    addChange(comparison, "account", account.id, now && accountFields(now), accountFields(account));
    for (const [at, key] of (account.keys ?? []).entries()) {
      const keyNow = keysNow.get(key.id);
      const wrong = seen.has(key.id)
        ? { field: "id", found: message("file.keyIdTwice", { id: key.id }) }
        : keyFault(key, account.id, keyNow, holders.get(key.digest));
      if (wrong !== undefined) refuse(comparison, `${path}.keys[${at}].${wrong.field}`, wrong.found);
      seen.add(key.id);
      holders.set(key.digest, key.id);
      addChange(comparison, "key", key.id, keyNow && keyFields(keyNow), keyFields(key));
    }
    if (!prunes || account.keys === undefined) continue;
    const listed = new Set(account.keys.map(({ id }) => id));
    for (const { id, status } of keysOf.get(account.id) ?? []) {
      if (status === "active" && !listed.has(id))
        comparison.changes.push({ sign: "-", kind: "key", id, fields: [] });
    }
  }
  if (!prunes) return;
  const listed = new Set(accounts.map(({ id }) => id));
  for (const { id, status } of stored.accounts) {
    if (status === "active" && !listed.has(id))
      comparison.changes.push({ sign: "-", kind: "account", id, fields: [] });
  }
}

function compareUsers(
  comparison: Comparison,
  stored: StoredConfiguration,
  wanted: Configuration,
  users: readonly UserConfiguration[],
): void {
  const usersNow = new Map(stored.users.map((one) => [one.email, one]));
  const accounts = new Set([
    ...stored.accounts.filter(({ status }) => status !== "closed").map(({ id }) => id),
    ...(wanted.accounts ?? []).map(({ id }) => id),
  ]);
  for (const [index, user] of users.entries()) {
    const path = `users[${index}]`;
    const now = usersNow.get(user.email);
    if (now === undefined) {
      refuse(comparison, `${path}.email`, message("file.userUnknown", { email: quote(user.email) }));
      continue;
    }
    const account = user.account === undefined ? now.account : user.account;
    const moved = account !== null && account !== now.account;
    if (moved && !accounts.has(account))
      refuse(comparison, `${path}.account`, message("file.accountUnknown", { id: quote(account) }));
    if (account === null && user.role !== undefined)
      refuse(comparison, `${path}.role`, message("file.roleWithoutAccount"));
    const after = {
      email: user.email,
      account,
      role: user.role ?? (moved ? "owner" : now.role),
      isOperator: user.isOperator ?? now.isOperator,
      status: user.status ?? now.status,
    };
    addChange(comparison, "user", user.email, userFields(now), userFields(after));
  }
  refuseWithoutOperator(comparison, stored, users);
}

/** One of the operators who can sign in must stay one. */
function refuseWithoutOperator(
  comparison: Comparison,
  stored: StoredConfiguration,
  users: readonly UserConfiguration[],
): void {
  const places = new Map(users.map((user, index) => [user.email, { user, index }]));
  const running = stored.users.filter(({ isOperator, status }) => isOperator && status === "active");
  const ending = running.flatMap(({ email }) => {
    const found = places.get(email);
    const ends = found?.user.isOperator === false || found?.user.status === "disabled";
    return ends && found !== undefined ? [found.index] : [];
  });
  const [first] = ending;
  if (first === undefined || ending.length < running.length) return;
  refuse(comparison, `users[${first}]`, message("file.lastOperator"));
}

/** What applying would change, in the order of the file, and why it cannot be applied. */
export function compareConfigurations(
  stored: StoredConfiguration,
  wanted: Configuration,
  { prunes }: { readonly prunes: boolean },
): ConfigurationDifference {
  const comparison: Comparison = { changes: [], faults: [] };
  if (wanted.settings !== undefined) {
    const { revision: _, ...now } = stored.settings;
    const given = Object.entries(wanted.settings).filter(([, value]) => value !== undefined);
    const after = { ...now, ...Object.fromEntries(given) };
    addChange(comparison, "settings", "", settingsFields(now), settingsFields(after));
  }
  if (wanted.accounts !== undefined) compareAccounts(comparison, stored, wanted.accounts, prunes);
  if (wanted.users !== undefined) compareUsers(comparison, stored, wanted, wanted.users);
  return comparison;
}

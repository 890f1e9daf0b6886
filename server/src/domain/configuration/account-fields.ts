/** Writes settings, accounts, keys and users as the fields of a configuration file. Pure. */
import { formatUsd } from "@plaza/contract/money.ts";
import { formatDuration } from "../../lib/units.ts";
import type { SettingsConfiguration, StoredAccount, StoredKey, UserConfiguration } from "./shapes.ts";
import { limitFields, timeText, type WrittenFields } from "./written.ts";

/** The fields of the settings that are given. */
export function settingsFields({ name, plazaIsPublic, lowBalance }: SettingsConfiguration): WrittenFields {
  return {
    name,
    plazaIsPublic,
    lowBalance: lowBalance === null || lowBalance === undefined ? lowBalance : formatUsd(lowBalance),
  };
}

/** An account without its keys. */
export function accountFields(account: Omit<StoredAccount, "revision">): WrittenFields {
  const { id, name, status, limits, responsesKeptMs, lowBalance } = account;
  return {
    id,
    name,
    status,
    limits: limitFields(limits),
    responsesKept: responsesKeptMs === undefined ? undefined : formatDuration(responsesKeptMs),
    lowBalance: lowBalance === undefined ? undefined : formatUsd(lowBalance),
  };
}

/** A key. */
export function keyFields(key: Omit<StoredKey, "accountId" | "revision">): WrittenFields {
  const { id, name, digest, visiblePrefix, status, models, ips, limits, budget, expiresAt, project, tags } =
    key;
  return {
    id,
    name,
    digest,
    visiblePrefix,
    status,
    models,
    ips,
    limits: limitFields(limits),
    budget: budget === undefined ? undefined : { amount: formatUsd(budget.amount), period: budget.period },
    expires: expiresAt === undefined ? undefined : timeText(expiresAt),
    project,
    tags,
  };
}

/** A user. */
export function userFields({ email, account, role, isOperator, status }: UserConfiguration): WrittenFields {
  return { email, account, role: account === null ? undefined : role, operator: isOperator, status };
}

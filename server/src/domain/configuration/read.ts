/**
 * Reads the sections `settings`, `accounts` and `users` of a file, with the readers of the catalog file.
 * Knows nothing of what is stored.
 */
import type { Model } from "@plaza/contract/catalog.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { responsesKeptMaxMs } from "@plaza/contract/responses-kept.ts";
import { readOptionalLimits } from "../catalog/file/limits.ts";
import {
  fault,
  isNull,
  missing,
  type Reading,
  readAll,
  readBoolean,
  readDurationMs,
  readFields,
  readId,
  readList,
  readText,
  readWord,
  type Spot,
} from "../catalog/file/reading.ts";
import { readKey } from "./read-key.ts";
import type {
  AccountConfiguration,
  Configuration,
  SettingsConfiguration,
  UserConfiguration,
} from "./shapes.ts";
import { optional, readName, readUsd } from "./values.ts";

const accountsMax = 100_000;
const keysMax = 100_000;
const usersMax = 100_000;

/** The keys of the settings. */
export const settingNames = ["name", "plazaIsPublic", "lowBalance"] as const;
/** The keys of an account. */
export const accountNames = [
  "id",
  "name",
  "status",
  "limits",
  "responsesKept",
  "lowBalance",
  "keys",
] as const;
/** The keys of a user. */
export const userNames = ["email", "account", "role", "operator", "status"] as const;

function readSettings(reading: Reading, spot: Spot): SettingsConfiguration {
  const fields = readFields(reading, spot, settingNames) ?? {};
  return {
    name: optional(fields.name, (field) => readName(reading, spot, field)),
    plazaIsPublic: optional(fields.plazaIsPublic, (field) => readBoolean(reading, field)),
    lowBalance: optional(fields.lowBalance, (field) => (isNull(field) ? null : readUsd(reading, field))),
  };
}

function readAccount(
  reading: Reading,
  spot: Spot,
  models: readonly string[],
): AccountConfiguration | undefined {
  const fields = readFields(reading, spot, accountNames);
  if (fields === undefined) return undefined;
  if (fields.id === undefined)
    missing(reading, spot, "id", message("file.give", { what: message("file.anId") }));
  return {
    id: optional(fields.id, (field) => readId(reading, field)) ?? "",
    name: readName(reading, spot, fields.name),
    status: optional(fields.status, (field) => readWord(reading, field, ["active", "suspended"])) ?? "active",
    limits: readOptionalLimits(reading, fields.limits),
    responsesKeptMs: optional(fields.responsesKept, (field) =>
      readDurationMs(reading, field, 0, responsesKeptMaxMs),
    ),
    lowBalance: optional(fields.lowBalance, (field) => readUsd(reading, field)),
    keys: optional(fields.keys, (field) =>
      readAll(
        reading,
        readList(reading, field, "keys", 0, keysMax),
        (item) => readKey(reading, item, models),
        "id",
      ),
    ),
  };
}

/** An address in lower case; "" after a fault. */
function readEmail(reading: Reading, spot: Spot): string {
  const what = message("file.anEmail");
  const read = readText(reading, spot, what);
  if (read === undefined) return "";
  const email = read.text.trim().normalize("NFC").toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(email)) return email;
  fault(reading, spot, message("file.notForm", { given: read.shown, form: what }));
  return "";
}

function readUser(reading: Reading, spot: Spot): UserConfiguration | undefined {
  const fields = readFields(reading, spot, userNames);
  if (fields === undefined) return undefined;
  if (fields.email === undefined)
    missing(reading, spot, "email", message("file.give", { what: message("file.anEmail") }));
  const account = optional(fields.account, (field) => (isNull(field) ? null : readId(reading, field)));
  const role = optional(fields.role, (field) => readWord(reading, field, ["owner", "member"]));
  if (account === null && fields.role !== undefined)
    fault(reading, fields.role, message("file.roleWithoutAccount"));
  return {
    email: optional(fields.email, (field) => readEmail(reading, field)) ?? "",
    account,
    role,
    isOperator: optional(fields.operator, (field) => readBoolean(reading, field)),
    status: optional(fields.status, (field) => readWord(reading, field, ["active", "disabled"])),
  };
}

/** The sections that the file has. `models`: the file's, to warn of keys for others. */
export function readConfiguration(
  reading: Reading,
  fields: { readonly settings?: Spot; readonly accounts?: Spot; readonly users?: Spot },
  models: readonly Model[],
): Configuration {
  const modelIds = models.map(({ id }) => id);
  const settings = optional(fields.settings, (field) => readSettings(reading, field));
  const accounts = optional(fields.accounts, (field) =>
    readAll(
      reading,
      readList(reading, field, "accounts", 0, accountsMax),
      (item) => readAccount(reading, item, modelIds),
      "id",
    ),
  );
  const users = optional(fields.users, (field) =>
    readAll(
      reading,
      readList(reading, field, "users", 0, usersMax),
      (item) => readUser(reading, item),
      "email",
    ),
  );
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(users === undefined ? {} : { users }),
  };
}

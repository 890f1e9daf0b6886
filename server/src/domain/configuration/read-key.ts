/** Reads an API key of a configuration file. It has the digest of its secret, never the secret. */
import { parseTimeMs, timeForm } from "@plaza/contract/catalog-values.ts";
import { labelFault, labelLengthMax, tagsMax } from "@plaza/contract/labels.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { parseNetwork } from "../../lib/net/address.ts";
import { readOptionalLimits } from "../catalog/file/limits.ts";
import {
  fault,
  guess,
  missing,
  type Reading,
  readFields,
  readId,
  readLine,
  readList,
  readText,
  readWord,
  type Spot,
  warn,
} from "../catalog/file/reading.ts";
import type { KeyConfiguration } from "./shapes.ts";
import { optional, readName, readUsd } from "./values.ts";

/** The keys of an API key. */
export const keyNames = [
  "id",
  "name",
  "digest",
  "visiblePrefix",
  "status",
  "models",
  "ips",
  "limits",
  "budget",
  "expires",
  "project",
  "tags",
] as const;

const modelsMax = 5_000;
const ipsMax = 100;
const prefixLengthMax = 64;
const modelLengthMax = 300;

function readDigest(reading: Reading, spot: Spot): string {
  const what = message("file.aDigest");
  const read = readText(reading, spot, what);
  if (read === undefined) return "";
  if (/^[0-9a-f]{64}$/.test(read.text)) return read.text;
  // Somebody may have put the secret here, so it is not shown.
  fault(reading, spot, message("file.mustBe", { form: what }));
  return "";
}

/** A model that the file does not have may be the console's, so it is only warned of. */
function readModelId(reading: Reading, spot: Spot, models: readonly string[]): string {
  const id = readLine(reading, spot, message("file.idOfModel"), modelLengthMax);
  if (id !== "" && models.length > 0 && !models.includes(id))
    warn(
      reading,
      spot,
      message("file.keyForOther", { given: JSON.stringify(id), guess: guess(id, models, "models") }),
    );
  return id;
}

function readNetwork(reading: Reading, spot: Spot): string {
  const form = message("file.aNetwork");
  const read = readText(reading, spot, form);
  if (read === undefined) return "";
  const text = read.text.toLowerCase();
  if (parseNetwork(text) === undefined)
    fault(reading, spot, message("file.notForm", { given: read.shown, form }));
  return text;
}

function readBudget(reading: Reading, spot: Spot): KeyConfiguration["budget"] {
  const fields = readFields(reading, spot, ["amount", "period"]);
  if (fields === undefined) return undefined;
  const { amount, period } = fields;
  if (amount === undefined)
    missing(reading, spot, "amount", message("file.give", { what: message("file.amount") }));
  if (period === undefined) missing(reading, spot, "period", message("file.give", { what: "day or month" }));
  const nanos = optional(amount, (field) => readUsd(reading, field));
  if (amount !== undefined && nanos === 0n && amount.part.kind === "text" && /^[0.]+$/.test(amount.part.text))
    fault(reading, amount, message("file.budgetZero"));
  const each = optional(period, (field) => readWord(reading, field, ["day", "month"]));
  return nanos === undefined || each === undefined ? undefined : { amount: nanos, period: each };
}

function readLabel(reading: Reading, spot: Spot): string {
  const form = message("file.aLabel", { max: labelLengthMax });
  const read = readText(reading, spot, form);
  if (read === undefined) return "";
  const label = read.text.trim();
  if (labelFault(label) !== undefined)
    fault(reading, spot, message("file.notForm", { given: read.shown, form }));
  return label;
}

/** Unix milliseconds, until the year 9999; 0 after a fault. */
function readExpiry(reading: Reading, spot: Spot): number {
  const read = readText(reading, spot, timeForm);
  if (read === undefined) return 0;
  const ms = parseTimeMs(read.text);
  if (ms === undefined) fault(reading, spot, message("file.notTime", { given: read.shown, form: timeForm }));
  return ms ?? 0;
}

/** Reads one key; undefined when it is not a mapping. `models`: ids of the file's models. */
export function readKey(
  reading: Reading,
  spot: Spot,
  models: readonly string[],
): KeyConfiguration | undefined {
  const fields = readFields(reading, spot, keyNames);
  if (fields === undefined) return undefined;
  const wanted = { id: "file.anId", digest: "file.aDigest", visiblePrefix: "file.aPrefix" } as const;
  for (const name of ["id", "digest", "visiblePrefix"] as const) {
    if (fields[name] === undefined)
      missing(reading, spot, name, message("file.give", { what: message(wanted[name]) }));
  }
  const list = (field: Spot, what: string, max: number, read: (item: Spot) => string) => [
    ...new Set(readList(reading, field, what, 1, max).map(read)),
  ];
  return {
    id: optional(fields.id, (field) => readId(reading, field)) ?? "",
    name: readName(reading, spot, fields.name),
    digest: optional(fields.digest, (field) => readDigest(reading, field)) ?? "",
    visiblePrefix:
      optional(fields.visiblePrefix, (field) =>
        readLine(reading, field, message("file.aPrefix"), prefixLengthMax),
      ) ?? "",
    status: optional(fields.status, (field) => readWord(reading, field, ["active", "disabled"])) ?? "active",
    models: optional(fields.models, (field) =>
      list(field, "models", modelsMax, (item) => readModelId(reading, item, models)),
    ),
    ips: optional(fields.ips, (field) =>
      list(field, "networks", ipsMax, (item) => readNetwork(reading, item)),
    ),
    limits: readOptionalLimits(reading, fields.limits),
    budget: optional(fields.budget, (field) => readBudget(reading, field)),
    expiresAt: optional(fields.expires, (field) => readExpiry(reading, field)),
    project: optional(fields.project, (field) => readLabel(reading, field)),
    tags: optional(fields.tags, (field) => list(field, "tags", tagsMax, (item) => readLabel(reading, item))),
  };
}

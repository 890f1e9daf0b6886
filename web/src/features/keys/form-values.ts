/** A key's settings as a form holds them, and as the API takes them. Pure: clock and zone are passed in. */
import type { FieldError } from "../../api/error.ts";
import type { Answer, SentTo } from "../../api/routes.ts";
import { fromWallTime, toWallTime } from "../../format/zone.ts";

export type ApiKey = Answer<"get /keys/{id}">;
type NewKey = SentTo<"post /keys">["body"];

/** Days until a key expires that are offered; `never` and `at` beside them. */
export const expiryDays = ["7", "30", "90", "365"] as const;
export type Expiry = "never" | "at" | (typeof expiryDays)[number];

/** What the form holds. */
export interface KeyFormValues {
  readonly name: string;
  readonly expiry: Expiry;
  /** Wall time of the user's zone; of use with `at` only. */
  readonly expiresAt: string;
  readonly modelChoice: "all" | "some";
  readonly models: readonly string[];
  readonly limits: ApiKey["limits"];
  /** Empty: none. */
  readonly budget: string;
  readonly budgetPeriod: "day" | "month";
  /** Lines. */
  readonly ips: string;
  /** Empty: none. */
  readonly project: string;
  /** Lines. */
  readonly tags: string;
}

export const newKeyValues: KeyFormValues = {
  name: "",
  expiry: "never",
  expiresAt: "",
  modelChoice: "all",
  models: [],
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrency: null },
  budget: "",
  budgetPeriod: "month",
  ips: "",
  project: "",
  tags: "",
};

/** A key as its form. */
export function valuesOfKey(key: ApiKey, timeZone: string): KeyFormValues {
  return {
    name: key.name,
    expiry: key.expiresAt === null ? "never" : "at",
    expiresAt: key.expiresAt === null ? "" : toWallTime(key.expiresAt, timeZone),
    modelChoice: key.models === null ? "all" : "some",
    models: key.models ?? [],
    limits: key.limits,
    budget: key.budget?.amount ?? "",
    budgetPeriod: key.budget?.period ?? "month",
    ips: (key.ips ?? []).join("\n"),
    project: key.project ?? "",
    tags: key.tags.join("\n"),
  };
}

/** What is said of each fault. */
export interface FaultWords {
  readonly expiresAt: string;
  readonly models: string;
}

/** What was chosen and not given: without it the key would expire never, or be of no use. */
export function faultsOf(values: KeyFormValues, words: FaultWords): FieldError[] {
  const faults: FieldError[] = [];
  if (values.expiry === "at" && fromWallTime(values.expiresAt, "UTC") === undefined) {
    faults.push({ path: "expiresAt", message: words.expiresAt });
  }
  if (values.modelChoice === "some" && values.models.length === 0)
    faults.push({ path: "models", message: words.models });
  return faults;
}

const dayMs = 86_400_000;

function expiryOf(values: KeyFormValues, timeZone: string, nowMs: number): string | null {
  if (values.expiry === "never") return null;
  if (values.expiry === "at") return fromWallTime(values.expiresAt, timeZone) ?? null;
  return new Date(nowMs + Number(values.expiry) * dayMs).toISOString();
}

/** Addresses of a text: one a line, or with commas or blanks between. */
export function addressesOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== "");
}

/** Tags of a text, one a line. */
const tagsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The form as the API takes it. */
export function bodyOf(values: KeyFormValues, timeZone: string, nowMs: number): NewKey {
  const ips = addressesOf(values.ips);
  return {
    name: values.name,
    expiresAt: expiryOf(values, timeZone, nowMs),
    models: values.modelChoice === "all" ? null : [...values.models],
    limits: values.limits,
    budget: values.budget.trim() === "" ? null : { amount: values.budget, period: values.budgetPeriod },
    ips: ips.length === 0 ? null : ips,
    project: values.project.trim() === "" ? null : values.project,
    tags: tagsOf(values.tags),
  };
}

/** Settings that belong together: one is kept or taken as a whole. */
export const settingNames = [
  "name",
  "expiresAt",
  "models",
  "limits",
  "budget",
  "ips",
  "project",
  "tags",
] as const;
export type SettingName = (typeof settingNames)[number];

const fieldsOf: Readonly<Record<SettingName, readonly (keyof KeyFormValues)[]>> = {
  name: ["name"],
  expiresAt: ["expiry", "expiresAt"],
  models: ["modelChoice", "models"],
  limits: ["limits"],
  budget: ["budget", "budgetPeriod"],
  ips: ["ips"],
  project: ["project"],
  tags: ["tags"],
};

function isSame(left: KeyFormValues, right: KeyFormValues, name: SettingName): boolean {
  return fieldsOf[name].every((field) => JSON.stringify(left[field]) === JSON.stringify(right[field]));
}

/** Settings that differ. */
export function differing(left: KeyFormValues, right: KeyFormValues): SettingName[] {
  return settingNames.filter((name) => !isSame(left, right, name));
}

/** The key of a field's heading; `field` may be a part, as in `limits.concurrency`. */
export function settingOf(field: string): "expiry" | Exclude<SettingName, "expiresAt"> {
  const [whole] = field.split(".");
  const found = settingNames.find((name) => fieldsOf[name].some((one) => one === whole)) ?? "name";
  return found === "expiresAt" ? "expiry" : found;
}

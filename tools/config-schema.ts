/**
 * The JSON schema of `plaza.yaml` for editors, from the readers' own lists of keys: a key without a schema
 * does not compile. It says forms, not meaning; `plaza apply --dry-run` checks the rest.
 */
import { capabilityNames } from "@plaza/contract/catalog.ts";
import { formatIds } from "@plaza/contract/formats.ts";
import { labelLengthMax, tagsMax } from "@plaza/contract/labels.ts";
import { operationNames } from "@plaza/contract/operations.ts";
import type { limitNames } from "../server/src/domain/catalog/file/limits.ts";
import {
  type deploymentFields,
  modalityNames,
  type modelFields,
} from "../server/src/domain/catalog/file/models.ts";
import type { priceFields } from "../server/src/domain/catalog/file/price.ts";
import type { timeoutNames } from "../server/src/domain/catalog/file/timeouts.ts";
import type { upstreamNames } from "../server/src/domain/catalog/file/upstreams.ts";
import type { sections } from "../server/src/domain/catalog/file.ts";
import type { accountNames, settingNames, userNames } from "../server/src/domain/configuration/read.ts";
import type { keyNames } from "../server/src/domain/configuration/read-key.ts";
import { rateNames } from "../server/src/domain/money/price-classes.ts";
import { providers } from "../server/src/providers/index.ts";
import { presets } from "../server/src/providers/presets/presets.ts";

/** The part of JSON Schema that is used here. */
export interface Schema {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

type Properties<Names extends readonly string[]> = Readonly<Record<Names[number], Schema>>;

function mapping(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
  description?: string,
): Schema {
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

const text = (description: string): Schema => ({ type: "string", description });
const whole = (description: string): Schema => ({ type: "integer", minimum: 0, description });
const list = (items: Schema, description?: string): Schema => ({
  type: "array",
  items,
  ...(description === undefined ? {} : { description }),
});
const oneOf = (words: readonly string[], description: string): Schema => ({
  type: "string",
  enum: words,
  description,
});
const part = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

/** A text may come from a variable wherever one is allowed. */
const variable = "\\$\\{";
const duration: Schema = {
  type: "string",
  pattern: `^\\d+(ms|s|m|h|d)$|${variable}`,
  description: "5s, 15m",
};
const amount: Schema = {
  type: "string",
  pattern: `^\\d+(\\.\\d{1,9})?$|${variable}`,
  description: "US dollars, in quotes",
};
const time: Schema = {
  type: "string",
  pattern: `^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z)?$|${variable}`,
  description: "A UTC date or time",
};

const limits: Properties<typeof limitNames> = {
  requestsPerMinute: whole("0 blocks all requests"),
  tokensPerMinute: whole("0 blocks all requests"),
  concurrency: whole("Concurrent requests"),
};

const timeouts: Readonly<Record<(typeof timeoutNames)[number], Schema>> = {
  connect: duration,
  firstByte: duration,
  firstToken: duration,
  idle: duration,
  total: duration,
};

const rates = Object.fromEntries(rateNames.map((name) => [name, amount])) as Properties<typeof rateNames>;
const tier = mapping({ abovePromptTokens: whole("Prompts larger than that"), ...rates }, [
  "abovePromptTokens",
  "input",
  "output",
]);
const price: Properties<typeof priceFields> = { ...rates, perRequest: amount, tiers: list(tier) };

const upstream: Properties<typeof upstreamNames> = {
  id: text("How deployments name it"),
  provider: oneOf(providers.map(({ id }) => id).toSorted(), "The protocol it speaks; left out with a preset"),
  preset: oneOf(presets.map(({ id }) => id).toSorted(), "The service it is"),
  baseUrl: text("Up to and including the version"),
  credentials: list({ type: "string" }, "\u0024{VARIABLE}, file:/path or sealed:…, used in turn"),
  options: { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } },
  headers: {
    type: "object",
    description: "Added to every call to it: \u0024{VARIABLE}, file:/path or sealed:… by name",
    additionalProperties: { type: "string" },
  },
  timeouts: part("timeouts"),
  onDisconnect: oneOf(["stop", "finish"], "When the caller disconnects"),
  concurrency: whole("Most concurrent calls of one process"),
  queue: whole("Most requests that wait"),
  affinity: oneOf(["key", "none"], "Whether sessions stay at a deployment"),
};

const deployment: Properties<typeof deploymentFields> = {
  upstream: text("The id of an upstream"),
  model: text("The model's name there"),
  priority: whole("Lower is tried first"),
  weight: whole("Share of the traffic within a priority"),
  cost: part("price"),
  timeouts: part("timeouts"),
  formats: list(oneOf(formatIds, "A wire format")),
};

const modalities = list(oneOf(modalityNames, "A modality"));

const model: Properties<typeof modelFields> = {
  id: text("What callers send as model"),
  name: text("For people"),
  description: text("At most 4096 characters"),
  operations: list(oneOf(operationNames, "An operation")),
  context: whole("Tokens"),
  maxOutput: whole("Tokens of one answer"),
  family: text("Who made it"),
  modalities: mapping({ input: modalities, output: modalities }, ["input", "output"]),
  capabilities: list(oneOf(capabilityNames, "A capability")),
  deprecated: time,
  disabled: { type: "boolean", description: "Whether callers neither see nor can call it" },
  price: part("price"),
  prices: list(mapping({ validFrom: time, ...price }, ["input", "output"])),
  deployments: { ...list(mapping(deployment, ["upstream", "model"])), minItems: 1 },
  limits: part("limits"),
  fallbacks: list({ type: "string" }, "Models that are asked when no deployment answers"),
  hedge: { anyOf: [{ type: "boolean" }, mapping({ after: duration }, ["after"])] },
};

const label = {
  ...{ type: "string", minLength: 1, maxLength: labelLengthMax },
  description: "A label by which usage is grouped",
};

const key: Properties<typeof keyNames> = {
  id: text("Any id that no other key has"),
  name: text("For people"),
  digest: { type: "string", pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the whole key" },
  visiblePrefix: text("The first characters of the key"),
  status: oneOf(["active", "disabled"], "active when left out"),
  models: list({ type: "string" }, "The models it may use; left out: all"),
  ips: list({ type: "string" }, "Where it may be used from; left out: anywhere"),
  limits: part("limits"),
  budget: mapping({ amount, period: oneOf(["day", "month"], "Begins at midnight UTC") }, [
    "amount",
    "period",
  ]),
  expires: time,
  project: label,
  tags: { ...list(label, "By which usage is grouped, too"), minItems: 1, maxItems: tagsMax },
};

const account: Properties<typeof accountNames> = {
  id: text("Any id that no other account has"),
  name: text("For people"),
  status: oneOf(["active", "suspended"], "active when left out"),
  limits: part("limits"),
  responsesKept: duration,
  lowBalance: amount,
  keys: list(mapping(key, ["id", "name", "digest", "visiblePrefix"]), "Left out: they are left alone"),
};

const user: Properties<typeof userNames> = {
  email: text("Of a user who is there"),
  account: { type: ["string", "null"], description: "The id of an account; null: none" },
  role: oneOf(["owner", "member"], "In the account"),
  operator: { type: "boolean", description: "Whether the user runs the installation" },
  status: oneOf(["active", "disabled"], "Whether the user may sign in"),
};

const settings: Properties<typeof settingNames> = {
  name: text("In titles"),
  plazaIsPublic: {
    type: "boolean",
    description: "Whether visitors see models, prices and status without signing in",
  },
  lowBalance: { ...amount, type: ["string", "null"] },
};

const file: Properties<typeof sections> = {
  upstreams: list(mapping(upstream, ["id"])),
  models: list(mapping(model, ["id", "deployments"])),
  limits: part("limits"),
  installation: part("limits"),
  settings: mapping(settings),
  accounts: list(mapping(account, ["id", "name"])),
  users: list(mapping(user, ["email"])),
};

/** The whole schema. */
export const configSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "plaza.yaml",
  ...mapping(
    file,
    ["upstreams", "models"],
    "Catalog and configuration of Plaza. Generated from tools/config-schema.ts by tools/docs.ts.",
  ),
  $defs: {
    limits: mapping(limits),
    timeouts: mapping(timeouts),
    price: mapping(price, ["input", "output"]),
  },
};

/** The text of catalog/plaza.schema.json. */
export const configSchemaFile = (): string => `${JSON.stringify(configSchema, null, 2)}\n`;

/**
 * Reads channels, prices and what else a new-api (or one-api) database has into a draft. Pure: the rows are
 * passed in (`new-api-database.ts`). Numbers of channel types and the unit of ratios: new-api's
 * `constant/channel.go` and `setting/ratio_setting`, 2026-10.
 */
import { parseJson, recordOf } from "../../lib/record.ts";
import { decimalOf } from "./amounts.ts";
import { Draft, type DraftSecret, targetNamed } from "./draft.ts";
import { addNewApiKeys, type NewApiRow } from "./new-api-keys.ts";

/** A row of `channels`, as far as it is read. */
export interface Channel {
  readonly id: number;
  readonly type: number;
  readonly key: string;
  /** 1: in use. */
  readonly status: number;
  readonly name: string;
  readonly weight: number | null;
  readonly base_url: string | null;
  readonly other: string | null;
  /** Separated by commas. */
  readonly models: string;
  readonly groups: string | null;
  /** JSON: callers' name to the upstream's. */
  readonly model_mapping: string | null;
  readonly priority: number | null;
}

export interface NewApiRows {
  readonly channels: readonly Channel[];
  /** `options`: key to value. */
  readonly options: ReadonlyMap<string, string>;
  readonly users: number;
  readonly tokens: number;
  /** The rows of both; undefined: they do not come along. */
  readonly keys?: { readonly users: readonly NewApiRow[]; readonly tokens: readonly NewApiRow[] } | undefined;
}

/** Plaza's target and the path that new-api adds to an address. */
interface ChannelKind {
  readonly target: string;
  readonly path: string;
}

const openAi = (target: string): ChannelKind => ({ target, path: "/v1" });

/** By number of the type. */
const kinds: ReadonlyMap<number, ChannelKind> = new Map([
  [1, openAi("openai")],
  [3, { target: "azure", path: "" }],
  [4, openAi("ollama")],
  [8, openAi("openai")],
  [14, openAi("anthropic")],
  [17, { target: "qwen", path: "/compatible-mode/v1" }],
  [20, openAi("openrouter")],
  [24, { target: "google", path: "/v1beta" }],
  [25, openAi("moonshot")],
  [26, { target: "zhipu", path: "/api/paas/v4" }],
  [34, { target: "cohere", path: "/compatibility/v1" }],
  [35, openAi("minimax")],
  [40, openAi("siliconflow")],
  [42, openAi("mistral")],
  [43, openAi("deepseek")],
  [45, { target: "ark", path: "/api/v3" }],
  [47, openAi("openai")],
  [48, openAi("xai")],
]);

/** Addresses of types whose service has others elsewhere in the world; the channel's key is for these. */
const addresses: ReadonlyMap<number, string> = new Map([
  [17, "https://dashscope.aliyuncs.com"],
  [25, "https://api.moonshot.cn"],
  [26, "https://open.bigmodel.cn"],
  [40, "https://api.siliconflow.cn"],
  [45, "https://ark.cn-beijing.volces.com"],
]);

/** A ratio of 1 is two dollars for a million tokens. */
const dollarsPerRatio = "2";

function keysOf({ key, type }: Channel): DraftSecret[] {
  const texts = type === 41 ? [key] : key.split("\n");
  return texts.map((text) => ({ text: text.trim() })).filter(({ text }) => text !== "");
}

function addressOf({ type, base_url: given }: Channel, { path }: ChannelKind): string | undefined {
  const address = (given ?? "").trim().replace(/\/+$/, "") || addresses.get(type);
  if (address === undefined) return undefined;
  // Some operators write the path into the address.
  return path === "" || address.endsWith(path) ? address : `${address}${path}`;
}

const ratiosOf = (options: ReadonlyMap<string, string>, key: string) =>
  recordOf(parseJson(options.get(key) ?? ""));

/** Prices by model, where both ratios are known. */
function addPrices(draft: Draft, options: ReadonlyMap<string, string>): void {
  const [input, output, cached, perCall] = ["ModelRatio", "CompletionRatio", "CacheRatio", "ModelPrice"].map(
    (key) => ratiosOf(options, key),
  );
  for (const model of draft.models.values()) {
    if (perCall?.[model.id] !== undefined) {
      draft.leave(`the price of ${model.id} by call`, "set a price in tokens, or perRequest beside one");
      continue;
    }
    const ratio = input?.[model.id];
    const price = decimalOf([ratio, dollarsPerRatio]);
    const answer = decimalOf([ratio, dollarsPerRatio, output?.[model.id]]);
    if (price === undefined || answer === undefined) continue;
    const fromCache = decimalOf([ratio, dollarsPerRatio, cached?.[model.id]]);
    model.price = {
      input: price,
      output: answer,
      ...(fromCache === undefined ? {} : { cachedInput: fromCache }),
    };
  }
}

/** The highest priority of a model's channels comes first at new-api, the lowest number here. */
function orderPriorities(draft: Draft, given: ReadonlyMap<string, readonly number[]>): void {
  for (const model of draft.models.values()) {
    const priorities = given.get(model.id) ?? [];
    const falling = [...new Set(priorities)].sort((one, other) => other - one);
    model.deployments = model.deployments.map((deployment, index) => ({
      ...deployment,
      priority: falling.length > 1 ? falling.indexOf(priorities[index] ?? 0) + 1 : undefined,
    }));
  }
}

function addChannel(draft: Draft, channel: Channel, priorities: Map<string, number[]>): void {
  const where = `channel ${channel.id} (${channel.name})`;
  const kind = kinds.get(channel.type);
  if (channel.status !== 1) {
    draft.leave(where, "it is disabled there");
    return;
  }
  if (kind === undefined) {
    draft.leave(where, `Plaza has nothing for channels of type ${channel.type}: see plaza connect --help`);
    return;
  }
  const target = targetNamed(kind.target);
  const baseUrl = addressOf(channel, kind);
  const version = kind.target === "azure" ? (channel.other ?? "").trim() : "";
  const options: Record<string, string> = version === "" ? {} : { apiVersion: version };
  if (baseUrl === undefined && target.baseUrl === undefined) {
    draft.leave(where, "it has no address");
    return;
  }
  const upstream = draft.upstream(
    { target, baseUrl, options, credentials: keysOf(channel) },
    channel.name || target.id,
  );
  const mapping = recordOf(parseJson(channel.model_mapping ?? ""));
  for (const name of new Set(
    channel.models
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
  )) {
    const model = draft.model(name);
    const meant = mapping[name];
    const weight = channel.weight ?? 0;
    model.deployments.push({
      upstream,
      model: typeof meant === "string" && meant !== "" ? meant : name,
      weight: weight > 0 ? weight : undefined,
    });
    priorities.set(model.id, [...(priorities.get(model.id) ?? []), channel.priority ?? 0]);
  }
  if ((channel.groups ?? "default") !== "default") {
    draft.leave(`${where}: group ${channel.groups}`, "say at each key which models it may use");
  }
}

/** The draft of a database's rows. */
export function readNewApi({ channels, options, users, tokens, keys }: NewApiRows): Draft {
  const draft = new Draft();
  const priorities = new Map<string, number[]>();
  for (const channel of channels) addChannel(draft, channel, priorities);
  orderPriorities(draft, priorities);
  addPrices(draft, options);
  if (keys !== undefined) {
    addNewApiKeys(draft, keys);
    return draft;
  }
  if (users > 0)
    draft.leave(
      `${users} users and their quota`,
      "create accounts with plaza account create --balance; 500,000 quota is a dollar there",
    );
  if (tokens > 0)
    draft.leave(
      `${tokens} tokens`,
      "add --keys to bring them along, with an account for each user; callers keep their keys",
    );
  return draft;
}

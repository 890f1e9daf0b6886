/**
 * How upstreams say which models they serve: where the list is beside a provider's probe, and how a page of it is read. Pure;
 * what an upstream wrote is taken only where it has the expected form.
 */
import { isRecord, type JsonRecord } from "../lib/record.ts";

/** A model as its upstream lists it. What the list does not say is absent. */
export interface ListedModel {
  /** What a call names it by. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** Tokens. */
  readonly context?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  /** The list says that it does not answer chats. */
  readonly isOther?: boolean;
}

export interface ListedPage {
  readonly models: readonly ListedModel[];
  /** Asks for the next page; absent on the last one. */
  readonly next?: string;
}

/** How one provider lists. */
export interface Listing {
  /** The path of a page beside the path of the provider's probe; undefined where the probe is not at a list. */
  path(probePath: string, next: string | undefined): string | undefined;
  /** undefined: this is not such a list. */
  read(body: unknown): ListedPage | undefined;
  /** Not everybody who may call models may list them: being forbidden to says nothing of the credential. */
  readonly mayBeForbidden?: true;
}

/** Most a page may say of the next one. */
const nextLengthMax = 4_096;
const tokensMax = 1_000_000_000;
const titleLengthMax = 256;

function firstTokens(...values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= tokensMax,
  );
}

function firstTitle(...values: readonly unknown[]): string | undefined {
  return values.find(
    (value): value is string =>
      typeof value === "string" && value.trim() !== "" && value.length <= titleLengthMax,
  );
}

const nextOf = (value: unknown): { next?: string } =>
  typeof value === "string" && value !== "" && value.length <= nextLengthMax ? { next: value } : {};

/** The item without what it does not say. */
function listed(item: { readonly [Name in keyof ListedModel]: ListedModel[Name] | undefined }): ListedModel {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== undefined && value !== false),
  ) as unknown as ListedModel;
}

/** Reads each item that is an object; those without a name are passed over. */
function readItems(
  items: readonly unknown[],
  read: (item: JsonRecord) => ListedModel | undefined,
): ListedModel[] {
  return items.flatMap((item) => {
    const model = isRecord(item) ? read(item) : undefined;
    return model === undefined ? [] : [model];
  });
}

const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Words some services put into `type` for what is no chat model. */
const otherTypes = /^(?:embeddings?|image|audio|video|rerank|moderation|transcribe|tts|stt)$/;

function isOtherKind(item: JsonRecord): boolean {
  const { type, capabilities, architecture } = item;
  if (typeof type === "string" && otherTypes.test(type)) return true;
  if (isRecord(capabilities) && capabilities["completion_chat"] === false) return true;
  const outputs = isRecord(architecture) ? architecture["output_modalities"] : undefined;
  return Array.isArray(outputs) && outputs.length > 0 && !outputs.includes("text");
}

/** OpenAI's list and what compatible services add to it, each in its own words. */
function readOpenaiItem(item: JsonRecord): ListedModel | undefined {
  const name = nameOf(item["id"]);
  if (name === undefined) return undefined;
  const top = isRecord(item["top_provider"]) ? item["top_provider"] : {};
  return listed({
    name,
    title: firstTitle(item["display_name"], item["name"]),
    context: firstTokens(
      item["context_length"],
      item["context_window"],
      item["max_model_len"],
      item["max_context_length"],
    ),
    maxOutput: firstTokens(
      item["max_completion_tokens"],
      item["max_output_tokens"],
      top["max_completion_tokens"],
    ),
    isOther: isOtherKind(item),
  });
}

const openai: Listing = {
  path: (probePath) => probePath,
  read(body) {
    if (Array.isArray(body)) return { models: readItems(body, readOpenaiItem) };
    if (!isRecord(body)) return undefined;
    const { data, object } = body;
    // Ollama without any model writes null.
    if (data === null && object === "list") return { models: [] };
    return Array.isArray(data) ? { models: readItems(data, readOpenaiItem) } : undefined;
  },
};

/** The path of a list with these in its query; undefined where there is no list. */
function withQuery(
  probePath: string,
  query: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = new URL(probePath, "http://upstream");
  if (!url.pathname.endsWith("/models")) return undefined;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** docs/wire/anthropic-messages.md section 1. */
const anthropic: Listing = {
  path: (probePath, next) => withQuery(probePath, { limit: "1000", after_id: next }),
  read(body) {
    if (!isRecord(body) || !Array.isArray(body["data"])) return undefined;
    const models = readItems(body["data"], (item) => {
      const name = nameOf(item["id"]);
      if (name === undefined) return undefined;
      return listed({
        name,
        title: firstTitle(item["display_name"]),
        context: firstTokens(item["max_input_tokens"]),
        maxOutput: firstTokens(item["max_tokens"]),
        isOther: false,
      });
    });
    return { models, ...(body["has_more"] === true ? nextOf(body["last_id"]) : {}) };
  },
};

/** docs/wire/gemini.md section 1. */
const google: Listing = {
  path: (probePath, next) => withQuery(probePath, { pageSize: "1000", pageToken: next }),
  read(body) {
    if (!isRecord(body)) return undefined;
    const items = body["models"] ?? (Object.keys(body).length === 0 ? [] : undefined);
    if (!Array.isArray(items)) return undefined;
    const models = readItems(items, (item) => {
      const name = nameOf(item["name"])?.replace(/^models\/(?=.)/, "");
      if (name === undefined) return undefined;
      const methods = item["supportedGenerationMethods"];
      return listed({
        name,
        title: firstTitle(item["displayName"]),
        context: firstTokens(item["inputTokenLimit"]),
        maxOutput: firstTokens(item["outputTokenLimit"]),
        isOther: Array.isArray(methods) && !methods.includes("generateContent"),
      });
    });
    return { models, ...nextOf(body["nextPageToken"]) };
  },
};

/** The models of a publisher in Vertex AI's Model Garden (aiplatform v1beta1, publishers.models.list). */
const vertex: Listing = {
  mayBeForbidden: true,
  path: (probePath, next) => withQuery(probePath, { pageSize: "1000", pageToken: next }),
  read(body) {
    if (!isRecord(body)) return undefined;
    const items = body["publisherModels"] ?? (Object.keys(body).length === 0 ? [] : undefined);
    if (!Array.isArray(items)) return undefined;
    const models = readItems(items, (item) => {
      const name = nameOf(item["name"])?.replace(/^publishers\/[^/]+\/models\/(?=.)/, "");
      // A version is a part of the name a call has, but where it is the default one.
      const version = nameOf(item["versionId"]);
      if (name === undefined) return undefined;
      const isPlain = version === undefined || version === "default" || name.includes("@");
      return listed({ name: isPlain ? name : `${name}@${version}` });
    });
    return { models, ...nextOf(body["nextPageToken"]) };
  },
};

const listings: ReadonlyMap<string, Listing> = new Map([
  ["openai", openai],
  ["anthropic", anthropic],
  ["google", google],
  ["vertex-anthropic", vertex],
]);

/** How upstreams of this provider list; undefined where the protocol has no such thing (deployments have names of the operator's). */
export function findListing(provider: string): Listing | undefined {
  return listings.get(provider);
}

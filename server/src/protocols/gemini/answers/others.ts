/**
 * Gemini's smaller operations: counting tokens, embeddings, and the list of models (docs/wire/gemini.md
 * section 13). Request and answer shapes only; counting and embedding happen elsewhere.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonRecord } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { membersOf, numberIn, textIn } from "../request/spelling.ts";

/**
 * The generateContent request that a `:countTokens` body contains: `contents` alone, or a whole request with
 * instructions and tools. Throws when it has neither.
 *
 * @public Not used yet: for Gemini's endpoints.
 */
export function countedRequest(body: Buffer): Buffer {
  const raw = membersOf(JSON.parse(body.toString("utf8")));
  const { generateContentRequest: whole, ...plain } = raw;
  if (whole === undefined && !Array.isArray(plain["contents"]))
    throw invalid("contents", message("wire.geminiContents"));
  return Buffer.from(JSON.stringify(whole ?? plain));
}

/** @public Not used yet. `cached`: prompt tokens that come from a cache. */
export const countedBody = (totalTokens: number, cached = 0): Buffer =>
  Buffer.from(JSON.stringify({ totalTokens, ...(cached > 0 ? { cachedContentTokenCount: cached } : {}) }));

/** The request of `:embedContent`, or one entry of `:batchEmbedContents`. */
export interface EmbedRequest {
  readonly text: string;
  /** Google's task type, like `RETRIEVAL_QUERY`; undefined: not given. */
  readonly taskType: string | undefined;
  readonly title: string | undefined;
  readonly dimensions: number | undefined;
}

const embedMax = 2_048;

function readEmbed(value: unknown, path: string): EmbedRequest {
  const raw = membersOf(value);
  const { parts } = membersOf(raw["content"]);
  const at = path === "" ? "content" : `${path}.content`;
  const texts = (Array.isArray(parts) ? parts : []).map((part: unknown) => membersOf(part)["text"]);
  if (texts.length === 0 || texts.some((text) => typeof text !== "string" || text === ""))
    throw invalid(at, message("wire.textNotText", { param: `${at}.parts[0]` }));
  const config: JsonRecord = { ...raw, ...membersOf(raw["embedContentConfig"]) };
  const dimensions = numberIn(config["outputDimensionality"]);
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && dimensions >= 1)) {
    const param = path === "" ? "outputDimensionality" : `${path}.outputDimensionality`;
    throw invalid(param, message("wire.positiveWhole", { param }));
  }
  return {
    text: texts.join(""),
    taskType: textIn(config["taskType"]),
    title: textIn(config["title"]),
    dimensions,
  };
}

/**
 * Reads `:embedContent` (one) or `:batchEmbedContents` (`requests`). Throws `Untranslatable`.
 *
 * @public Not used yet: for Gemini's endpoints.
 */
export function decodeEmbeds(body: Buffer): {
  readonly isBatch: boolean;
  readonly requests: readonly EmbedRequest[];
} {
  const raw = membersOf(JSON.parse(body.toString("utf8")));
  const { requests } = raw;
  if (requests === undefined) return { isBatch: false, requests: [readEmbed(raw, "")] };
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > embedMax)
    throw invalid("requests", message("wire.notList", { param: "requests" }));
  return { isBatch: true, requests: requests.map((one, index) => readEmbed(one, `requests[${index}]`)) };
}

/** @public Not used yet. One vector for `:embedContent`. */
export function embedsBody(vectors: readonly (readonly number[])[], isBatch: boolean): Buffer {
  const embeddings = vectors.map((values) => ({ values }));
  return Buffer.from(JSON.stringify(isBatch ? { embeddings } : { embedding: embeddings[0] }));
}

/** A model in the list of models. */
export interface ListedModel {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly inputTokenLimit?: number | undefined;
  readonly outputTokenLimit?: number | undefined;
  /** Like `generateContent`, `countTokens`, `embedContent`. */
  readonly methods: readonly string[];
}

function modelOnWire(model: ListedModel): object {
  const { name, displayName, description, inputTokenLimit, outputTokenLimit, methods } = model;
  return {
    name: `models/${name}`,
    version: "",
    displayName: displayName ?? name,
    ...(description === undefined ? {} : { description }),
    ...(inputTokenLimit === undefined ? {} : { inputTokenLimit }),
    ...(outputTokenLimit === undefined ? {} : { outputTokenLimit }),
    supportedGenerationMethods: methods,
  };
}

export const modelBody = (model: ListedModel): Buffer => Buffer.from(JSON.stringify(modelOnWire(model)));

/** All models on one page. */
export const modelsBody = (models: readonly ListedModel[]): Buffer =>
  Buffer.from(JSON.stringify({ models: models.map(modelOnWire) }));

/**
 * Splits a path's last part, `NAME:METHOD`, into model and method. The name may contain colons and slashes.
 * Undefined for unknown methods.
 *
 * @public Not used yet: for Gemini's endpoints.
 */
export function methodOf(tail: string): { readonly model: string; readonly method: string } | undefined {
  const found = /^(?:models\/)?(.{1,400}):([a-zA-Z]{1,40})$/.exec(tail);
  return found === null ? undefined : { model: found[1] as string, method: found[2] as string };
}

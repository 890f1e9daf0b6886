/**
 * Gemini's smaller operations: counting tokens and the list of models (docs/wire/gemini.md section 13).
 * Request and answer shapes only; counting happens elsewhere.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { invalid } from "../../untranslatable.ts";
import { membersOf } from "../request/spelling.ts";

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

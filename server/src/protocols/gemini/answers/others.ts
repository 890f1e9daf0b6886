/**
 * Gemini's neighbours: how many tokens a request has, vectors of texts, and the list of models
 * (docs/wire/gemini.md section 13). Request and answer shapes only; whoever counts or embeds is asked
 * elsewhere.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { JsonRecord } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { membersOf, numberIn, textIn } from "../request/spelling.ts";

/**
 * The generateContent request a `:countTokens` body is about: `contents` alone, or a whole request with its
 * instructions and tools. Throws where there is neither.
 *
 * @public Nothing asks it yet: Gemini's endpoints do, once they are there.
 */
export function countedRequest(body: Buffer): Buffer {
  const raw = membersOf(JSON.parse(body.toString("utf8")));
  const { generateContentRequest: whole, ...plain } = raw;
  if (whole === undefined && !Array.isArray(plain["contents"]))
    throw invalid("contents", message("wire.geminiContents"));
  return Buffer.from(JSON.stringify(whole ?? plain));
}

/** @public As above. `cached`: tokens of the prompt that come from a cache. */
export const countedBody = (totalTokens: number, cached = 0): Buffer =>
  Buffer.from(JSON.stringify({ totalTokens, ...(cached > 0 ? { cachedContentTokenCount: cached } : {}) }));

/** What `:embedContent` and each entry of `:batchEmbedContents` asks. */
export interface EmbedRequest {
  readonly text: string;
  /** Google's word, like `RETRIEVAL_QUERY`; undefined = not said. */
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
 * @public Nothing asks it yet: Gemini's endpoints do, once they are there.
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

/** @public As above. One vector for `:embedContent`. */
export function embedsBody(vectors: readonly (readonly number[])[], isBatch: boolean): Buffer {
  const embeddings = vectors.map((values) => ({ values }));
  return Buffer.from(JSON.stringify(isBatch ? { embeddings } : { embedding: embeddings[0] }));
}

/** A model as the list of them says it. */
export interface ListedModel {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly inputTokenLimit?: number | undefined;
  readonly outputTokenLimit?: number | undefined;
  /** Like `generateContent`, `countTokens`, `embedContent`. */
  readonly methods: readonly string[];
}

function modelOnWire({ name, displayName, inputTokenLimit, outputTokenLimit, methods }: ListedModel): object {
  return {
    name: `models/${name}`,
    version: "",
    displayName: displayName ?? name,
    ...(inputTokenLimit === undefined ? {} : { inputTokenLimit }),
    ...(outputTokenLimit === undefined ? {} : { outputTokenLimit }),
    supportedGenerationMethods: methods,
  };
}

/** @public As above. */
export const modelBody = (model: ListedModel): Buffer => Buffer.from(JSON.stringify(modelOnWire(model)));

/** @public As above. All models on one page, unless there is a token of the next. */
export const modelsBody = (models: readonly ListedModel[], nextPageToken?: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      models: models.map(modelOnWire),
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    }),
  );

/**
 * The model and the method of a path's last part, `NAME:METHOD`: a name may hold colons and slashes itself.
 * undefined: it is none of ours.
 *
 * @public Nothing asks it yet: Gemini's endpoints do, once they are there.
 */
export function methodOf(tail: string): { readonly model: string; readonly method: string } | undefined {
  const found = /^(?:models\/)?(.{1,400}):([a-zA-Z]{1,40})$/.exec(tail);
  return found === null ? undefined : { model: found[1] as string, method: found[2] as string };
}

/**
 * Reads the requests of Gemini's `:embedContent` and `:batchEmbedContents` (docs/wire/openai-embeddings.md
 * section 7), in both spellings: texts, and what is said of them.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { type JsonRecord, textIn } from "../../../lib/record.ts";
import type { EmbeddingsHints } from "../../embeddings/request.ts";
import { invalid, type Untranslatable, unsupported } from "../../untranslatable.ts";
import { membersOf, numberIn } from "./spelling.ts";

/** What all texts of a request to embed share, and the texts. */
export interface DecodedEmbeds {
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
  /** Absent: nothing is said of the texts. */
  readonly hints: EmbeddingsHints | undefined;
}

/** One text to embed, and what is said of it. */
interface Embed {
  readonly text: string;
  readonly taskType: string | undefined;
  readonly title: string | undefined;
  readonly dimensions: number | undefined;
  readonly truncates: boolean;
}

/** As many as one call of OpenAI's format may have. */
const embedMax = 2_048;
const dimensionsMax = 65_536;
const titleMax = 10_000;

const taskTypes: ReadonlySet<string> = new Set([
  "RETRIEVAL_QUERY",
  "RETRIEVAL_DOCUMENT",
  "SEMANTIC_SIMILARITY",
  "CLASSIFICATION",
  "CLUSTERING",
  "QUESTION_ANSWERING",
  "FACT_VERIFICATION",
  "CODE_RETRIEVAL_QUERY",
]);

const settingNames = ["taskType", "title", "outputDimensionality", "autoTruncate"] as const;
const requestNames: ReadonlySet<string> = new Set([
  "model",
  "content",
  "embedContentConfig",
  ...settingNames,
]);
const configNames: ReadonlySet<string> = new Set(settingNames);
const batchNames: ReadonlySet<string> = new Set(["model", "requests"]);

/** Throws for a field that has no meaning here. `ignored`: read elsewhere. */
function requireKnown(
  raw: JsonRecord,
  path: string,
  known: ReadonlySet<string>,
  ignored?: ReadonlySet<string>,
): void {
  for (const name of Object.keys(raw))
    if (!known.has(name) && ignored?.has(name) !== true) throw unknown(path + name);
}

function unknown(path: string): Untranslatable {
  const param = path.slice(0, 200);
  return unsupported(param, message("wire.embedUnknown", { param }));
}

/** The texts of a content's parts, which become one vector. */
function textOf(value: unknown, at: string): string {
  const content = membersOf(value);
  requireKnown(content, `${at}.`, contentNames);
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalid(`${at}.parts`, message("wire.geminiParts", { param: at }));
  const texts = parts.map((part: unknown, index) => {
    const param = `${at}.parts[${index}]`;
    const members = membersOf(part);
    const [other] = Object.keys(members).filter((name) => name !== "text");
    if (other !== undefined) throw unknown(`${param}.${other}`);
    const { text } = members;
    if (typeof text !== "string") throw invalid(param, message("wire.textNotText", { param }));
    return text;
  });
  const text = texts.join("");
  if (text === "") throw invalid(at, message("wire.geminiParts", { param: at }));
  return text;
}

const contentNames: ReadonlySet<string> = new Set(["parts", "role"]);

function taskTypeIn(value: unknown, param: string): string | undefined {
  if (value === undefined || value === "TASK_TYPE_UNSPECIFIED") return undefined;
  if (typeof value === "string" && taskTypes.has(value)) return value;
  throw invalid(param, message("wire.geminiTaskType", { param, known: [...taskTypes].join(", ") }));
}

function titleIn(value: unknown, param: string): string | undefined {
  if (value !== undefined && (typeof value !== "string" || value.length > titleMax))
    throw invalid(param, message("input.expectedText", { param }));
  return textIn(value);
}

function dimensionsIn(value: unknown, param: string): number | undefined {
  const dimensions = numberIn(value);
  // Proto3 has no other word for "not set" than 0.
  if (dimensions === undefined || dimensions === 0) return undefined;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > dimensionsMax)
    throw invalid(param, message("wire.positiveWhole", { param }));
  return dimensions;
}

/** `path`: as the names of its fields begin. */
function readEmbed(value: unknown, path: string, model: string, ignored?: ReadonlySet<string>): Embed {
  const raw = membersOf(value);
  requireKnown(raw, path, requestNames, ignored);
  const named = raw["model"];
  if (named !== undefined && (typeof named !== "string" || named.replace(/^models\//, "") !== model))
    throw invalid(`${path}model`, message("wire.geminiOneModel", { param: `${path}model` }));
  const inner = membersOf(raw["embedContentConfig"]);
  requireKnown(inner, `${path}embedContentConfig.`, configNames);
  const config: JsonRecord = { ...raw, ...inner };
  return {
    text: textOf(raw["content"], `${path}content`),
    taskType: taskTypeIn(config["taskType"], `${path}taskType`),
    title: titleIn(config["title"], `${path}title`),
    dimensions: dimensionsIn(config["outputDimensionality"], `${path}outputDimensionality`),
    truncates: config["autoTruncate"] === true,
  };
}

/** Throws where not all texts ask for the same: one call has one purpose and one length. */
function requireAlike(embeds: readonly Embed[]): void {
  const names = {
    taskType: "taskType",
    dimensions: "outputDimensionality",
    truncates: "autoTruncate",
  } as const;
  for (const [index, embed] of embeds.entries()) {
    for (const name of ["taskType", "dimensions", "truncates"] as const) {
      if (embed[name] === embeds[0]?.[name]) continue;
      const param = `requests[${index}].${names[name]}`;
      throw invalid(param, message("wire.geminiOneSetting", { param }));
    }
  }
}

/**
 * Reads `:embedContent` (one) or `:batchEmbedContents` (`requests`) for this model. `ignored`: fields that
 * the endpoint judges itself, in camel case. Throws `Untranslatable` naming the field.
 */
export function decodeEmbeds(
  body: Buffer,
  { model, isBatch, ignored }: { readonly model: string; isBatch: boolean; ignored: ReadonlySet<string> },
): DecodedEmbeds {
  const raw: unknown = JSON.parse(body.toString("utf8"));
  const embeds = isBatch ? readBatch(membersOf(raw), model, ignored) : [readEmbed(raw, "", model, ignored)];
  requireAlike(embeds);
  const [{ taskType, dimensions, truncates }] = embeds as [Embed];
  const hasTitles = embeds.some(({ title }) => title !== undefined);
  const isHinted = taskType !== undefined || hasTitles || truncates;
  const titles = hasTitles ? embeds.map(({ title }) => title) : undefined;
  return {
    texts: embeds.map(({ text }) => text),
    dimensions,
    hints: isHinted ? { taskType, titles, truncates } : undefined,
  };
}

function readBatch(raw: JsonRecord, model: string, ignored: ReadonlySet<string>): Embed[] {
  requireKnown(raw, "", batchNames, ignored);
  const { requests } = raw;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > embedMax)
    throw invalid("requests", message("wire.geminiEmbeds", { param: "requests", max: embedMax }));
  return requests.map((one: unknown, index) => readEmbed(one, `requests[${index}].`, model));
}

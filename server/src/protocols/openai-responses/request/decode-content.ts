/**
 * Decodes the content of messages and call outputs in a Responses request into blocks
 * (docs/wire/openai-responses.md section 1). Does not decide what an upstream accepts.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { CacheMark, ContentBlock, Source } from "../../../conversation/blocks.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { readSource } from "../../sources.ts";
import { invalid } from "../../untranslatable.ts";

/** The members that are not in `known`; undefined when there are none. */
export function othersOf(raw: JsonRecord, known: ReadonlySet<string>): JsonRecord | undefined {
  for (const name in raw) {
    if (!known.has(name)) return Object.fromEntries(Object.entries(raw).filter(([key]) => !known.has(key)));
  }
  return undefined;
}

/** What a block keeps in this format's own terms: members of its part, and of the message around it. */
export interface BlockExtras {
  readonly part?: JsonRecord;
  readonly item?: JsonRecord;
}

const known: ReadonlySet<string> = new Set([
  "type",
  "text",
  "refusal",
  "image_url",
  "detail",
  "file_id",
  "file_data",
  "file_url",
  "filename",
  "input_audio",
  "annotations",
  "logprobs",
  "cache_control",
]);

/** Converts OpenAI's cache breakpoint to a mark as on Claude's routes: minutes, or an hour and more. */
function cacheOf(raw: JsonRecord, path: string): CacheMark | undefined {
  const given = raw["cache_control"];
  if (given !== undefined && given !== null) return { given, path: `${path}.cache_control` };
  const breakpoint = raw["prompt_cache_breakpoint"];
  if (!isRecord(breakpoint)) return undefined;
  const ttl = breakpoint["ttl"] === "12h" ? { ttl: "1h" } : {};
  return { given: { type: "ephemeral", ...ttl }, path: `${path}.prompt_cache_breakpoint` };
}

function sharedMembers(raw: JsonRecord, path: string, item: JsonRecord | undefined) {
  const part = othersOf(raw, known);
  const extras: JsonRecord | undefined =
    part === undefined && item === undefined
      ? undefined
      : { ...(part === undefined ? {} : { part }), ...(item === undefined ? {} : { item }) };
  return { path, cache: cacheOf(raw, path), extras };
}

type SharedMembers = ReturnType<typeof sharedMembers>;

function readImage(raw: JsonRecord, path: string, shared: SharedMembers): ContentBlock {
  const { image_url: image, file_id: id } = raw;
  if (image === undefined || image === null) {
    if (typeof id === "string" && id !== "") {
      // Records that it is an image, which later code cannot know.
      const extras = {
        ...shared.extras,
        part: { ...recordOf(shared.extras?.["part"]), type: "input_image" },
      };
      return { kind: "stored file", fileId: id, idPath: `${path}.file_id`, ...shared, extras };
    }
    throw invalid(`${path}.image_url`, message("responses.image", { param: path }));
  }
  const url = typeof image === "string" ? image : recordOf(image)["url"];
  const sourcePath = `${path}.image_url`;
  const source = readSource(url, sourcePath, "image/png");
  return { kind: "image", source, detail: textIn(raw["detail"]), sourcePath, ...shared };
}

function readFile(raw: JsonRecord, path: string, shared: SharedMembers): ContentBlock {
  const id = textIn(raw["file_id"]);
  const data = textIn(raw["file_data"]);
  const url = textIn(raw["file_url"]);
  const given = data ?? url;
  if (given === undefined) {
    if (id !== undefined) return { kind: "stored file", fileId: id, idPath: `${path}.file_id`, ...shared };
    throw invalid(`${path}.file_data`, message("responses.file", { param: path }));
  }
  const sourcePath = data === undefined ? `${path}.file_url` : `${path}.file_data`;
  // A PDF's bare base64 is accepted too.
  const isBare = data !== undefined && !/^(?:data:|https?:)/i.test(data) && /^[\w+/=-]+$/.test(data);
  const source: Source = isBare
    ? { kind: "inline", mediaType: "application/pdf", base64: data }
    : readSource(given, sourcePath, "application/pdf");
  return { kind: "file", source, filename: textIn(raw["filename"]), sourcePath, ...shared };
}

function readAudio(raw: JsonRecord, path: string, shared: SharedMembers): ContentBlock {
  const { data, format } = recordOf(raw["input_audio"]);
  const sourcePath = `${path}.input_audio`;
  const dataPath = `${sourcePath}.data`;
  if (typeof data !== "string") throw invalid(dataPath, message("wire.audioNotBase64"));
  const paths = { sourcePath, dataPath, formatPath: `${sourcePath}.format` };
  return { kind: "audio", base64: data, format: textIn(format) ?? "wav", ...paths, ...shared };
}

function readPart(value: unknown, path: string, item: JsonRecord | undefined): ContentBlock {
  if (!isRecord(value)) throw invalid(path, message("wire.notObject", { param: path }));
  const shared = sharedMembers(value, path, item);
  switch (value["type"]) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
      if (typeof value["text"] !== "string")
        throw invalid(`${path}.text`, message("wire.textNotText", { param: path }));
      return { kind: "text", text: value["text"], ...shared };
    case "refusal":
      return { kind: "refusal", text: textIn(value["refusal"]) ?? "", ...shared };
    case "input_image":
      return readImage(value, path, shared);
    case "input_file":
      return readFile(value, path, shared);
    case "input_audio":
      return readAudio(value, path, shared);
    default:
      throw invalid(`${path}.type`, message("responses.partType", { param: path }));
  }
}

/**
 * The blocks of a text or a list of parts; empty for null. `item`: what the blocks keep of the message around
 * them.
 */
export function decodeContent(content: unknown, path: string, item?: JsonRecord): ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ kind: "text", text: content, ...sharedMembers({}, path, item) }];
  if (!Array.isArray(content)) throw invalid(path, message("responses.content", { param: path }));
  return content.map((part, index) => readPart(part, `${path}[${index}]`, item));
}

/**
 * Decodes the content of chat messages into blocks: text, images, audio, files; as plain text or parts. Does
 * not decide what an upstream accepts.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { CacheMark, ContentBlock, Source } from "../../conversation/blocks.ts";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { readSource } from "../sources.ts";
import { invalid } from "../untranslatable.ts";

/** The members that are not in `known`; undefined when there are none. */
export function extrasOf(raw: JsonRecord, known: ReadonlySet<string>): JsonRecord | undefined {
  for (const name in raw) {
    if (!known.has(name)) return Object.fromEntries(Object.entries(raw).filter(([key]) => !known.has(key)));
  }
  return undefined;
}

/** The cache mark on an object the caller sent. `path`: of the object; empty for the whole request. */
export function cacheOf(raw: JsonRecord, path: string): CacheMark | undefined {
  const given = raw["cache_control"];
  if (given === undefined || given === null) return undefined;
  return { given, path: path === "" ? "cache_control" : `${path}.cache_control` };
}

const knownFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control"]),
  refusal: new Set(["type", "refusal", "cache_control"]),
  image: new Set(["type", "image_url", "cache_control"]),
  audio: new Set(["type", "input_audio", "cache_control"]),
  file: new Set(["type", "file", "cache_control"]),
};
const noFields: ReadonlySet<string> = new Set();

/** Members every block has. */
const placed = (raw: JsonRecord, path: string, kind: string) => ({
  path,
  cache: cacheOf(raw, path),
  extras: extrasOf(raw, knownFields[kind] ?? noFields),
});

function readFile(raw: JsonRecord, path: string): ContentBlock {
  const { file_id: id, file_data: given, file_url: url, filename } = recordOf(raw["file"]);
  const place = placed(raw, path, "file");
  if (typeof id === "string" && id !== "")
    return { kind: "stored file", fileId: id, idPath: `${path}.file.file_id`, ...place };
  const name = typeof filename === "string" && filename !== "" ? filename : undefined;
  const at = given === undefined && url !== undefined ? `${path}.file.file_url` : `${path}.file.file_data`;
  const text = given ?? url;
  // SDKs send a data URL; some callers send a PDF's bare base64.
  const isBare = typeof text === "string" && !/^(?:data:|https?:)/i.test(text) && /^[\w+/=-]+$/.test(text);
  const source: Source = isBare
    ? { kind: "inline", mediaType: "application/pdf", base64: text }
    : readSource(text, at, "application/pdf");
  return { kind: "file", source, filename: name, sourcePath: `${path}.file.file_data`, ...place };
}

function readImage(raw: JsonRecord, path: string): ContentBlock {
  const image = raw["image_url"];
  const url = typeof image === "string" ? image : recordOf(image)["url"];
  const { detail } = recordOf(image);
  const sourcePath = `${path}.image_url.url`;
  return {
    kind: "image",
    source: readSource(url, sourcePath, "image/png"),
    detail: typeof detail === "string" ? detail : undefined,
    sourcePath,
    ...placed(raw, path, "image"),
  };
}

function readAudio(raw: JsonRecord, path: string): ContentBlock {
  const { data, format } = recordOf(raw["input_audio"]);
  const sourcePath = `${path}.input_audio`;
  const dataPath = `${sourcePath}.data`;
  if (typeof data !== "string") throw invalid(dataPath, message("wire.audioNotBase64"));
  return {
    kind: "audio",
    base64: data,
    format: typeof format === "string" ? format : "wav",
    sourcePath,
    dataPath,
    formatPath: `${sourcePath}.format`,
    ...placed(raw, path, "audio"),
  };
}

function readPart(value: unknown, path: string): ContentBlock {
  if (!isRecord(value)) throw invalid(path, message("wire.notObject", { param: path }));
  const raw = value;
  const isText = raw["type"] === "text" || raw["type"] === "input_text" || raw["type"] === "output_text";
  if (isText) {
    if (typeof raw["text"] !== "string")
      throw invalid(`${path}.text`, message("wire.textNotText", { param: path }));
    return { kind: "text", text: raw["text"], ...placed(raw, path, "text") };
  }
  switch (raw["type"]) {
    case "refusal": {
      const text = raw["refusal"];
      return { kind: "refusal", text: typeof text === "string" ? text : "", ...placed(raw, path, "refusal") };
    }
    case "image_url":
      return readImage(raw, path);
    case "input_audio":
      return readAudio(raw, path);
    case "file":
      return readFile(raw, path);
    default:
      throw invalid(`${path}.type`, message("wire.partType", { param: path }));
  }
}

/** A text that was sent as a string, without a part around it. */
const plain = (kind: "text" | "refusal", text: string, path: string): ContentBlock => ({
  kind,
  text,
  path,
  cache: undefined,
  extras: undefined,
});

/** The blocks of a message's content; empty for null. Plain text becomes one block. `path`: the message's. */
export function decodeContent(content: unknown, path: string): ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [plain("text", content, `${path}.content`)];
  if (!Array.isArray(content)) throw invalid(`${path}.content`, message("wire.content", { param: path }));
  return content.map((part, index) => readPart(part, `${path}.content[${index}]`));
}

/** A refusal beside the content. */
export const decodeRefusal = (refusal: string, path: string): ContentBlock =>
  plain("refusal", refusal, `${path}.refusal`);

/** Decodes single parts of a Gemini request: text, bytes, files, code, and function results. */
import { message } from "@plaza/contract/messages/message.ts";
import type { ContentBlock } from "../../../conversation/blocks.ts";
import { isRecord, type JsonRecord, textIn } from "../../../lib/record.ts";
import { invalid } from "../../untranslatable.ts";
import { membersOf } from "./spelling.ts";

const placed = (path: string) => ({ path, cache: undefined, extras: undefined });

export const said = (text: string, path: string): ContentBlock => ({ kind: "text", text, ...placed(path) });

const soundFormats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/aac": "aac",
  "audio/aiff": "aiff",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/mp4": "m4a",
  "audio/webm": "webm",
};

const typeOf = (value: unknown): string => (textIn(value) ?? "").toLowerCase().split(";", 1)[0]?.trim() ?? "";

function inlineOf(blob: JsonRecord, at: string): ContentBlock {
  const mediaType = typeOf(blob["mimeType"]);
  const base64 = textIn(blob["data"]);
  if (mediaType === "" || base64 === undefined) throw invalid(at, message("wire.geminiBytes", { param: at }));
  const source = { kind: "inline", mediaType, base64 } as const;
  const sourcePath = `${at}.data`;
  if (mediaType.startsWith("image/"))
    return { kind: "image", source, detail: undefined, sourcePath, ...placed(at) };
  const format = Object.hasOwn(soundFormats, mediaType) ? soundFormats[mediaType] : undefined;
  if (format !== undefined) {
    const formatPath = `${at}.mimeType`;
    return { kind: "audio", base64, format, sourcePath: at, dataPath: sourcePath, formatPath, ...placed(at) };
  }
  return { kind: "file", source, filename: textIn(blob["displayName"]), sourcePath, ...placed(at) };
}

/** Files stored at Google, and videos only Google can fetch. */
const isGoogles = (uri: string): boolean =>
  /^(?:gs:|files\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.)?youtu)/i.test(uri);

function fileOf(file: JsonRecord, at: string): ContentBlock {
  const uri = textIn(file["fileUri"]);
  const sourcePath = `${at}.fileUri`;
  if (uri === undefined) throw invalid(sourcePath, message("wire.geminiFileUri", { param: sourcePath }));
  if (isGoogles(uri)) return { kind: "stored file", fileId: uri, idPath: sourcePath, ...placed(at) };
  if (!/^https?:\/\//i.test(uri))
    throw invalid(sourcePath, message("wire.geminiFileUri", { param: sourcePath }));
  const source = { kind: "url", url: uri } as const;
  const isImage = typeOf(file["mimeType"]).startsWith("image/");
  return isImage
    ? { kind: "image", source, detail: undefined, sourcePath, ...placed(at) }
    : { kind: "file", source, filename: textIn(file["displayName"]), sourcePath, ...placed(at) };
}

/** The bytes or the file of a part; undefined when it has neither. */
export function mediaOf(part: JsonRecord, path: string): ContentBlock | undefined {
  if (isRecord(part["inlineData"])) return inlineOf(membersOf(part["inlineData"]), `${path}.inlineData`);
  if (isRecord(part["fileData"])) return fileOf(membersOf(part["fileData"]), `${path}.fileData`);
  return undefined;
}

const partKinds: ReadonlySet<string> = new Set([
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "thought",
  "thoughtSignature",
]);

/** True for a part that says something Plaza does not know yet. An empty part is none. */
export function isOfUnknownKind(part: JsonRecord): boolean {
  const names = Object.keys(part);
  return names.length > 0 && !names.some((name) => partKinds.has(name));
}

/** Code that Google ran, and its output, as text; empty for other parts. Throws for a malformed part. */
export function codeIn(part: JsonRecord, path: string): string {
  if (isRecord(part["executableCode"])) {
    const { code, language } = membersOf(part["executableCode"]);
    return `\n\`\`\`${(textIn(language) ?? "").toLowerCase()}\n${textIn(code) ?? ""}\n\`\`\`\n`;
  }
  if (isRecord(part["codeExecutionResult"]))
    return `\n\`\`\`\n${textIn(membersOf(part["codeExecutionResult"])["output"]) ?? ""}\n\`\`\`\n`;
  // A part may consist of only a signature or only a thought mark.
  if (part["thoughtSignature"] !== undefined || part["thought"] !== undefined) return "";
  if (isOfUnknownKind(part)) return "";
  throw invalid(path, message("wire.geminiPart", { param: path }));
}

export interface ResultBlocks {
  readonly content: readonly ContentBlock[];
  readonly isError: boolean | undefined;
}

/** SDKs wrap plain text in `{output}`, `{result}` or `{error}`. */
function textOf(response: unknown): { readonly text: string; readonly isError: boolean | undefined } {
  const names = isRecord(response) ? Object.keys(response) : [];
  const [only] = names;
  if (names.length === 1 && only !== undefined && /^(?:output|result|error)$/.test(only)) {
    const value = (response as JsonRecord)[only];
    const isError = only === "error" ? true : undefined;
    if (typeof value === "string") return { text: value, isError };
    if (isError) return { text: JSON.stringify(value), isError };
  }
  return { text: JSON.stringify(response ?? {}), isError: undefined };
}

/** A function's result: its object as text, followed by its files. */
export function resultBlocks({ response, parts }: JsonRecord, at: string): ResultBlocks {
  const { text, isError } = textOf(response);
  const files = (Array.isArray(parts) ? parts : []).flatMap((part: unknown, index) => {
    const block = mediaOf(membersOf(part), `${at}.parts[${index}]`);
    return block === undefined ? [] : [block];
  });
  return { content: [said(text, `${at}.response`), ...files], isError };
}

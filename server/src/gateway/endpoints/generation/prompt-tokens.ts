/**
 * Estimates the prompt tokens of a request whose upstream reported no usage: text by its length, files by the
 * provider's rules. Runs only for such requests; linear in the size of the body.
 */
import { estimateInput } from "../../../domain/money/estimate.ts";
import type { JsonField } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { type MediaPart, mediaTokens } from "../../../providers/media-tokens.ts";

/** Maximum base64 characters of a file that are decoded to detect its type and size. */
const headBytesMax = 64 * 1024;
/**
 * Up to this size in total, unrecognised fields are taken for settings. Beyond it, they may be prompt, since
 * a template may render them.
 */
const settingBytesMax = 1_024;
/** Types of parts that hold files. All other parts are text. */
const fileTypes = /image|audio|video|file|media|document/i;
/** Members of a message or an item that hold its parts. */
const partsNames: ReadonlySet<string> = new Set(["content", "output"]);
/** Members of a file part that are text or metadata, not the file itself. */
const spoken: ReadonlySet<string> = new Set([
  "type",
  "text",
  "refusal",
  "format",
  "media_type",
  "detail",
  "filename",
]);

/** Returns how many of `restBytes` unrecognised bytes count as prompt. */
export const promptBytesAmong = (restBytes: number): number => (restBytes > settingBytesMax ? restBytes : 0);

/** Where the prompt of a request is. */
export interface PromptFields {
  /** The list of messages or items. */
  readonly messages: JsonField;
  /** Bytes that count as prompt, for estimates. */
  readonly promptBytes: number;
}

/** What a list of parts holds beside text. */
interface Files {
  /** Bytes that are not prompt text. */
  textBytes: number;
  tokens: number;
}

/** `provider`: by whose rule files count. */
export function promptTokens(
  { messages, promptBytes }: PromptFields,
  body: Buffer,
  provider: string,
): number {
  const files: Files = { textBytes: 0, tokens: 0 };
  for (const message of itemsOf(body, messages.start)) takeParts(files, body, message, provider, 0);
  return estimateInput(Math.max(0, promptBytes - files.textBytes)) + files.tokens;
}

/** `owner`: the message, or the result of a tool in one, which may hold files too. */
function takeParts(files: Files, body: Buffer, owner: ValueSpan, provider: string, depth: number): void {
  const parts = membersOf(body, owner.start).find(({ name }) => partsNames.has(name));
  if (parts === undefined || body[parts.start] !== 0x5b) return;
  for (const part of itemsOf(body, parts.start)) {
    const file = fileOf(body, part);
    if (file !== undefined) {
      files.textBytes += file.textBytes;
      files.tokens += mediaTokens(provider, file.media);
    } else if (depth === 0) takeParts(files, body, part, provider, 1);
  }
}

interface File {
  /** Bytes of the part that are not prompt text. */
  readonly textBytes: number;
  readonly media: MediaPart;
}

/**
 * Returns the file in a content part, in its members or one level deeper; undefined for text and unknown
 * parts.
 */
function fileOf(body: Buffer, part: ValueSpan): File | undefined {
  const members = membersOf(body, part.start);
  const type = textOf(
    body,
    members.find(({ name }) => name === "type"),
  );
  if (type === undefined || !fileTypes.test(type)) return undefined;
  for (const member of members) {
    if (spoken.has(member.name)) continue;
    const inner = body[member.start] === 0x7b ? membersOf(body, member.start) : [member];
    const carrier = inner.find(({ name, start }) => !spoken.has(name) && body[start] === 0x22);
    if (carrier === undefined) continue;
    const field = (name: string): string | undefined =>
      textOf(
        body,
        inner.find((one) => one.name === name),
      );
    const kind = field("media_type") ?? typeOf(type, field("format"));
    return read(body, carrier, kind, field("detail"));
  }
  return undefined;
}

/** Returns the value of a short string; undefined otherwise. */
function textOf(body: Buffer, member: MemberSpan | undefined): string | undefined {
  if (member === undefined || body[member.start] !== 0x22 || member.end - member.start > 256)
    return undefined;
  return JSON.parse(body.toString("utf8", member.start, member.end)) as string;
}

/** The assumed media type of a part that does not state one. */
function typeOf(type: string, format: string | undefined): string {
  if (/audio/i.test(type)) return `audio/${format ?? "mp3"}`;
  if (/video/i.test(type)) return "video/mp4";
  return /file|document/i.test(type) ? "application/pdf" : "image/";
}

/** Reads a data URL, base64 or plain URL; undefined for other text. */
function read(
  body: Buffer,
  { start, end }: ValueSpan,
  kind: string,
  detail: string | undefined,
): File | undefined {
  const given = body.toString("latin1", start + 1, Math.min(end - 1, start + 1 + 2 * headBytesMax));
  const text = given.includes("\\") ? unescaped(given) : given;
  const address = /^data:([^;,]{0,100})[^,]{0,200},/i.exec(text);
  if (address === null && /^[a-z][a-z0-9+.-]{0,20}:/i.test(text)) {
    return { textBytes: 0, media: { mediaType: kind, head: Buffer.alloc(0), bytes: 0, detail } };
  }
  const from = address === null ? 0 : address[0].length;
  if (!/^[\w+/=-]*$/.test(text.slice(from))) return undefined;
  const head = Buffer.from(text.slice(from, from + headBytesMax), "base64");
  const length = end - start - 2 - from;
  const mediaType = (address?.[1] || kind).toLowerCase();
  return { textBytes: length, media: { mediaType, head, bytes: Math.floor((length * 3) / 4), detail } };
}

const unescaped = (text: string): string =>
  text
    .replace(/\\u00([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll("\\/", "/");

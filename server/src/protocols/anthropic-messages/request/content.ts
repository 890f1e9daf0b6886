/**
 * Decodes the blocks of a Messages request that may occur in any role: text, images, documents, search
 * results (docs/wire/anthropic-messages.md sections 2 and 13). Does not decide what an upstream accepts.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { CacheMark, ContentBlock, Source } from "../../../conversation/blocks.ts";
import type { Parameter } from "../../../conversation/conversation.ts";
import { isRecord, type JsonRecord, recordOf, textIn } from "../../../lib/record.ts";
import { readSource } from "../../sources.ts";
import { invalid } from "../../untranslatable.ts";

/** The members that are not in `known`; undefined when there are none. */
export function othersOf(raw: JsonRecord, known: ReadonlySet<string>): JsonRecord | undefined {
  const others = Object.entries(raw).filter(([name]) => !known.has(name));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/** The cache mark on an object the caller sent. `path`: of the object; empty for the whole request. */
export function cacheOf(raw: JsonRecord, path: string): CacheMark | undefined {
  const given = raw["cache_control"];
  if (given === undefined || given === null) return undefined;
  return { given, path: path === "" ? "cache_control" : `${path}.cache_control` };
}

const textFields = new Set(["type", "text", "cache_control"]);
const imageFields = new Set(["type", "source", "cache_control"]);
const documentFields = new Set(["type", "source", "cache_control", "title"]);
const resultFields = new Set(["type", "source", "title", "content", "cache_control"]);

const placed = (raw: JsonRecord, path: string, known: ReadonlySet<string>) => ({
  path,
  cache: cacheOf(raw, path),
  extras: othersOf(raw, known),
});

/** Parts of a request that could not become blocks, to report to the caller. */
export type Notes = Parameter[];

const plain = (text: string, path: string): ContentBlock => ({
  kind: "text",
  text,
  path,
  cache: undefined,
  extras: undefined,
});

function textAt(raw: JsonRecord, name: string, path: string): string {
  const value = raw[name];
  if (typeof value !== "string") {
    const param = `${path}.${name}`;
    throw invalid(param, message("wire.missingText", { param }));
  }
  return value;
}

const unknownSource = (path: string, kinds: string) =>
  invalid(`${path}.type`, message("wire.sourceType", { param: path, kinds }));

function inlineOf(source: JsonRecord, path: string): Source {
  const mediaType = textAt(source, "media_type", path).toLowerCase();
  return { kind: "inline", mediaType, base64: textAt(source, "data", path) };
}

function readImage(raw: JsonRecord, path: string): ContentBlock {
  const source = recordOf(raw["source"]);
  const at = `${path}.source`;
  const place = placed(raw, path, imageFields);
  switch (source["type"]) {
    case "base64":
      return {
        kind: "image",
        source: inlineOf(source, at),
        detail: undefined,
        sourcePath: `${at}.data`,
        ...place,
      };
    case "url": {
      const sourcePath = `${at}.url`;
      const read = readSource(source["url"], sourcePath, "image/png");
      return { kind: "image", source: read, detail: undefined, sourcePath, ...place };
    }
    case "file":
      return {
        kind: "stored file",
        fileId: textAt(source, "file_id", at),
        idPath: `${at}.file_id`,
        ...place,
      };
    default:
      throw unknownSource(at, "base64, url, file");
  }
}

/** A text with its title above it. */
const titled = (text: string, ...lines: readonly (string | undefined)[]): string => {
  const head = lines.filter((line) => line !== undefined).join("\n");
  return head === "" ? text : `${head}\n\n${text}`;
};

/** Options of a document that other formats lack. */
function noteDocument(raw: JsonRecord, path: string, notes: Notes): void {
  if (recordOf(raw["citations"])["enabled"] === true)
    notes.push({ name: `${path}.citations`, setting: "manner", value: true });
  if (textIn(raw["context"]) !== undefined)
    notes.push({ name: `${path}.context`, setting: "manner", value: true });
}

function readDocument(raw: JsonRecord, path: string, notes: Notes): ContentBlock[] {
  const source = recordOf(raw["source"]);
  const at = `${path}.source`;
  const place = placed(raw, path, documentFields);
  const title = textIn(raw["title"]);
  noteDocument(raw, path, notes);
  switch (source["type"]) {
    case "base64":
      return [
        { kind: "file", source: inlineOf(source, at), filename: title, sourcePath: `${at}.data`, ...place },
      ];
    case "url": {
      const sourcePath = `${at}.url`;
      const read = readSource(source["url"], sourcePath, "application/pdf");
      return [{ kind: "file", source: read, filename: title, sourcePath, ...place }];
    }
    // Text stays text: every protocol takes it, and not all take text files.
    case "text":
      return [{ kind: "text", text: titled(textAt(source, "data", at), title), ...place }];
    case "content": {
      const inner = readBlocks(source["content"], `${at}.content`, notes);
      return withCache(title === undefined ? inner : [plain(title, path), ...inner], place.cache);
    }
    case "file":
      return [
        { kind: "stored file", fileId: textAt(source, "file_id", at), idPath: `${at}.file_id`, ...place },
      ];
    default:
      throw unknownSource(at, "base64, url, text, content, file");
  }
}

/** Moves the mark of the enclosing object to the last of its blocks. */
function withCache(blocks: ContentBlock[], cache: CacheMark | undefined): ContentBlock[] {
  const last = blocks.at(-1);
  if (cache === undefined || last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache }];
}

function readSearchResult(raw: JsonRecord, path: string): ContentBlock {
  const content = Array.isArray(raw["content"]) ? raw["content"].map(recordOf) : [];
  const text = content.map(({ text: one }) => textIn(one) ?? "").join("\n");
  const head = [textIn(raw["title"]), textIn(raw["source"])];
  return { kind: "text", text: titled(text, ...head), ...placed(raw, path, resultFields) };
}

/** The type of a block. Throws when it has none. */
export function typeOf(raw: unknown, path: string): { readonly raw: JsonRecord; readonly type: string } {
  if (!isRecord(raw)) throw invalid(path, message("wire.notObject", { param: path }));
  const type = textIn(raw["type"]);
  if (type === undefined) throw invalid(`${path}.type`, message("wire.blockType", { param: path }));
  return { raw, type };
}

/** The blocks of one that any role may use; undefined for other kinds. */
export function readSaid(
  raw: JsonRecord,
  type: string,
  path: string,
  notes: Notes,
): readonly ContentBlock[] | undefined {
  switch (type) {
    case "text":
      return [{ kind: "text", text: textAt(raw, "text", path), ...placed(raw, path, textFields) }];
    case "image":
      return [readImage(raw, path)];
    case "document":
      return readDocument(raw, path, notes);
    case "search_result":
      return [readSearchResult(raw, path)];
    default:
      return undefined;
  }
}

/**
 * The blocks of a content that is a string, a list or absent. Unknown kinds are dropped, and noted by their
 * path.
 */
export function readBlocks(content: unknown, path: string, notes: Notes): ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [plain(content, path)];
  if (!Array.isArray(content)) throw invalid(path, message("wire.blocks", { param: path }));
  return content.flatMap((block: unknown, index): readonly ContentBlock[] => {
    const at = `${path}[${index}]`;
    const { raw, type } = typeOf(block, at);
    const said = readSaid(raw, type, at, notes);
    // A tool that is made available is one of the request's tools.
    if (type === "tool_addition") return [];
    if (said === undefined) notes.push({ name: at, setting: "manner", value: type.slice(0, 100) });
    return said ?? [];
  });
}

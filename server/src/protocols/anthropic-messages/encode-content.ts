/**
 * Encodes a turn's blocks for Anthropic: text, images, documents (docs/wire/anthropic-messages.md section 5).
 * Unsupported parts are dropped and reported by name.
 */

import { message } from "@plaza/contract/messages/message.ts";
import {
  type FileBlock,
  isWords,
  type RefusalBlock,
  type ContentBlock as Said,
  type TextBlock as TextSaid,
} from "../../conversation/blocks.ts";
import { controlOf } from "../claude/cache.ts";
import type { Leftovers } from "../leftovers.ts";
import { mark } from "./cache.ts";
import type { ContentBlock, DocumentBlock, ImageBlock, ImageType, TextBlock } from "./wire.ts";

const imageTypes: ReadonlyMap<string, ImageType> = new Map([
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/png", "image/png"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

/** Longer titles are truncated. */
const titleMax = 200;

/** True when a text has more than whitespace. The protocol refuses blank texts. */
export const hasWords = (text: string): boolean => /\S/.test(text);

function imageBlock(mediaType: string, data: string): ImageBlock | undefined {
  const known = imageTypes.get(mediaType);
  return known === undefined
    ? undefined
    : { type: "image", source: { type: "base64", media_type: known, data } };
}

function documentBlock(part: FileBlock): ContentBlock | undefined {
  const { source, filename } = part;
  const title = filename === undefined ? {} : { title: filename.slice(0, titleMax).toWellFormed() };
  if (source.kind === "url") return { type: "document", source: { type: "url", url: source.url }, ...title };
  const { mediaType, base64 } = source;
  if (mediaType === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: mediaType, data: base64 }, ...title };
  }
  if (mediaType.startsWith("text/") || mediaType === "application/json") {
    const data = Buffer.from(base64, "base64").toString("utf8");
    const text: DocumentBlock["source"] = { type: "text", media_type: "text/plain", data };
    return hasWords(data) ? { type: "document", source: text, ...title } : undefined;
  }
  return imageBlock(mediaType, base64);
}

function fileBlock(part: Said, leftovers: Leftovers): ContentBlock | undefined {
  switch (part.kind) {
    case "image": {
      if (part.source.kind === "url") return { type: "image", source: { type: "url", url: part.source.url } };
      const block = imageBlock(part.source.mediaType, part.source.base64);
      if (block === undefined) leftovers.leaveOut(part.sourcePath, message("wire.imageKinds"));
      return block;
    }
    case "file": {
      const block = documentBlock(part);
      if (block === undefined) leftovers.leaveOut(part.sourcePath, message("wire.fileKinds"));
      return block;
    }
    case "audio":
      leftovers.leaveOut(part.sourcePath, message("wire.noAudio"));
      return undefined;
    case "stored file":
      leftovers.leaveOut(part.idPath, message("wire.storedFilesUnknown"));
      return undefined;
    default:
      return undefined;
  }
}

/** A text block; undefined for a blank text. */
function textBlockOf(said: TextSaid | RefusalBlock): TextBlock | undefined {
  if (!hasWords(said.text)) return undefined;
  const block: TextBlock = { type: "text", text: said.text };
  return mark(block, controlOf(said.cache));
}

/** The encoded blocks, without blank texts. */
export function blocksOf(said: readonly Said[], leftovers: Leftovers): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const one of said) {
    const block = isWords(one) ? textBlockOf(one) : fileBlock(one, leftovers);
    if (block !== undefined) blocks.push(isWords(one) ? block : mark(block, controlOf(one.cache)));
  }
  return blocks;
}

/** A block for a place that takes text only (system and assistant turns); undefined for other blocks. */
export function onlyText(said: Said, leftovers: Leftovers): TextBlock | undefined {
  if (isWords(said)) return textBlockOf(said);
  leftovers.leaveOut(said.path, message("wire.textsOnly"));
  return undefined;
}

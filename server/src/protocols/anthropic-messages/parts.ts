/**
 * Parts of a message as Anthropic's blocks: texts, images, documents (docs/wire/anthropic-messages.md section
 * 5). What it does not take is left out by name.
 */

import type { Leftovers } from "../leftovers.ts";
import type { ContentPart } from "../openai-chat/content.ts";
import { mark, readMark } from "./cache.ts";
import type { ContentBlock, DocumentBlock, ImageBlock, ImageType, TextBlock } from "./wire.ts";

const imageTypes: ReadonlyMap<string, ImageType> = new Map([
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/png", "image/png"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

/** Longer titles are cut. */
const titleMax = 200;

/** Does a text say anything? The protocol refuses texts that do not. */
export const hasWords = (text: string): boolean => /\S/.test(text);

function imageBlock(mediaType: string, data: string): ImageBlock | undefined {
  const known = imageTypes.get(mediaType);
  return known === undefined
    ? undefined
    : { type: "image", source: { type: "base64", media_type: known, data } };
}

function documentBlock(part: ContentPart & { kind: "file" }): ContentBlock | undefined {
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

function fileBlock(part: ContentPart, leftovers: Leftovers): ContentBlock | undefined {
  const { path } = part;
  switch (part.kind) {
    case "image": {
      if (part.source.kind === "url") return { type: "image", source: { type: "url", url: part.source.url } };
      const block = imageBlock(part.source.mediaType, part.source.base64);
      const message = "Images for this model must be image/jpeg, image/png, image/gif or image/webp.";
      if (block === undefined) leftovers.leaveOut(`${path}.image_url.url`, message);
      return block;
    }
    case "file": {
      const block = documentBlock(part);
      const message = "Files for this model must be PDFs, texts or images, and not empty.";
      if (block === undefined) leftovers.leaveOut(`${path}.file.file_data`, message);
      return block;
    }
    case "audio":
      leftovers.leaveOut(`${path}.input_audio`, "This model takes no audio.");
      return undefined;
    case "stored":
      leftovers.leaveOut(
        `${path}.file.file_id`,
        "Stored files are not known here; send the file itself as file_data.",
      );
      return undefined;
    default:
      return undefined;
  }
}

/** The blocks of these parts, without texts of nothing but space. */
export function blocksOf(parts: readonly ContentPart[], leftovers: Leftovers): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const part of parts) {
    const isText = part.kind === "text" || part.kind === "refusal";
    const text = isText ? part.text : "";
    if (isText && !hasWords(text)) continue;
    const block: ContentBlock | undefined = isText ? { type: "text", text } : fileBlock(part, leftovers);
    if (block !== undefined) blocks.push(mark(block, readMark(part.raw, part.path)));
  }
  return blocks;
}

/** As `blocksOf`, where only texts can stand (system and assistant messages). */
export function textBlocksOf(parts: readonly ContentPart[], leftovers: Leftovers): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const part of parts) {
    if (part.kind !== "text" && part.kind !== "refusal") {
      leftovers.leaveOut(part.path, "Only texts can stand in a system or assistant message for this model.");
    } else if (hasWords(part.text)) {
      const block: TextBlock = { type: "text", text: part.text };
      blocks.push(mark(block, readMark(part.raw, part.path)));
    }
  }
  return blocks;
}

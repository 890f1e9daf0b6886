/**
 * Encodes a turn's blocks as Gemini's parts: text, and bytes with their media type. A file given by URL must
 * have been fetched before. Unsupported content is refused by its path.
 */
import { message } from "@plaza/contract/messages/message.ts";
import type { ContentBlock, Source } from "../../conversation/blocks.ts";
import type { Media } from "../../conversation/media.ts";
import { invalid, unsupported } from "../untranslatable.ts";
import type { Blob, Part } from "./wire.ts";

export type MediaFiles = Media | undefined;

const imageTypes: Readonly<Record<string, string>> = {
  "image/png": "image/png",
  "image/jpeg": "image/jpeg",
  "image/jpg": "image/jpeg",
  "image/webp": "image/webp",
  "image/heic": "image/heic",
  "image/heif": "image/heif",
};

/** Formats of `input_audio` and their media types. */
const audioTypes: Readonly<Record<string, string>> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  mpeg: "audio/mpeg",
  aac: "audio/aac",
  aiff: "audio/aiff",
  flac: "audio/flac",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  m4a: "audio/mp4",
  webm: "audio/webm",
};

const isKnown = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Files: documents, text, and anything that may also come as image, audio or video. */
const fileTypes =
  /^(?:application\/(?:pdf|json|xml|rtf|x-javascript|x-python)|(?:text|audio|video)\/[\w.+-]{1,60})$/;

function bytesOf(source: Source, media: MediaFiles, at: string): Blob {
  if (source.kind === "inline") return { mimeType: source.mediaType, data: source.base64 };
  const file = media?.get(source.url);
  if (file === undefined) {
    throw unsupported(at, message("wire.addressNotFetched", { param: at }));
  }
  return { mimeType: file.mediaType, data: file.bytes.toString("base64") };
}

/** The part of an image. `at`: path of its URL in the request. */
export function imagePart(source: Source, media: MediaFiles, at: string): Part {
  const { mimeType: given, data } = bytesOf(source, media, at);
  const mimeType = isKnown(imageTypes, given);
  if (mimeType === undefined) {
    throw unsupported(at, message("wire.imageKind", { param: at }));
  }
  if (data === "") throw invalid(at, message("wire.imageEmpty", { param: at }));
  return { inlineData: { mimeType, data } };
}

function filePart(source: Source, media: MediaFiles, at: string): Part {
  const { mimeType, data } = bytesOf(source, media, at);
  const image = isKnown(imageTypes, mimeType);
  if (image === undefined && !fileTypes.test(mimeType)) {
    throw unsupported(at, message("wire.fileKind", { param: at }));
  }
  if (data === "") throw invalid(at, message("wire.fileEmpty", { param: at }));
  return { inlineData: { mimeType: image ?? mimeType, data } };
}

/** The part of a block; undefined for an empty text, which Gemini refuses. */
export function partOf(block: ContentBlock, media: MediaFiles): Part | undefined {
  switch (block.kind) {
    case "text":
    case "refusal":
      return block.text === "" ? undefined : { text: block.text };
    case "image":
      return imagePart(block.source, media, block.sourcePath);
    case "audio": {
      const at = block.formatPath;
      const mimeType = isKnown(audioTypes, block.format.toLowerCase());
      if (mimeType === undefined) throw unsupported(at, message("wire.audioKind", { param: at }));
      if (block.base64 === "") throw invalid(block.dataPath, message("wire.audioEmpty"));
      return { inlineData: { mimeType, data: block.base64 } };
    }
    case "file":
      return filePart(block.source, media, block.sourcePath);
    case "stored file":
      throw unsupported(block.idPath, message("wire.storedFilesNone"));
  }
}

/** The parts of the blocks in order, without empty ones. */
export function partsOf(blocks: readonly ContentBlock[], media: MediaFiles): Part[] {
  return blocks.flatMap((block) => partOf(block, media) ?? []);
}

/**
 * Encodes a conversation's images, documents and audio as Converse's blocks (docs/wire/bedrock-converse.md
 * sections 2 and 5).
 */

import { message } from "@plaza/contract/messages/message.ts";
import type {
  AudioBlock,
  FileBlock,
  ImageBlock,
  Source,
  StoredFileBlock,
} from "../../conversation/blocks.ts";
import type { Media } from "../../conversation/media.ts";
import { unsupported } from "../untranslatable.ts";
import type { Block, DocumentFormat, ImageFormat, PlainBlock } from "./wire.ts";

const imageFormats: Readonly<Record<string, ImageFormat>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const documentFormats: Readonly<Record<string, DocumentFormat>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};
const formatNames = new Set<string>(Object.values(documentFormats));

/** Audio formats that models with audio input accept. */
const audioFormats = new Set(["mp3", "wav", "flac", "ogg", "opus", "aac", "m4a", "webm"]);

const nameMax = 200;

/**
 * Creates document names that are unique within one request. Only letters, digits, single spaces, hyphens,
 * parentheses and brackets are allowed. Documents without a name get a number, so the same request always
 * gives the same names.
 */
export function createDocumentNames(): (filename: string | undefined) => string {
  const used = new Set<string>();
  return (filename) => {
    const clean = (filename ?? "")
      .replace(/\.[A-Za-z0-9]{1,5}$/, "")
      .replace(/[^A-Za-z0-9\-()[\]]+/g, " ")
      .trim()
      .slice(0, nameMax - 6)
      .trim();
    let name = clean === "" ? `document-${used.size + 1}` : clean;
    for (let copy = 2; used.has(name); copy += 1) name = `${clean || "document"} (${copy})`;
    used.add(name);
    return name;
  };
}

interface InlineFile {
  readonly mediaType: string;
  readonly base64: string;
}

function inlined(source: Source, media: Media | undefined, param: string): InlineFile {
  if (source.kind === "inline") return source;
  const file = media?.get(source.url);
  if (file === undefined) {
    throw unsupported(param, message("wire.filesInline"));
  }
  return { mediaType: file.mediaType, base64: file.bytes.toString("base64") };
}

/** The format of a document, from its media type or else from its file name. */
function formatOf(mediaType: string, filename: string | undefined): DocumentFormat | undefined {
  if (Object.hasOwn(documentFormats, mediaType)) return documentFormats[mediaType];
  const ending = /\.([a-z]{2,4})$/i.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
  const isVague = mediaType === "application/octet-stream" || mediaType === "";
  return isVague && formatNames.has(ending) ? (ending as DocumentFormat) : undefined;
}

export interface MediaContext {
  readonly media: Media | undefined;
  readonly takesAudio: boolean;
  readonly nameDocument: (filename: string | undefined) => string;
}

function imageBlock(file: InlineFile, param: string): PlainBlock {
  const format = Object.hasOwn(imageFormats, file.mediaType) ? imageFormats[file.mediaType] : undefined;
  if (format === undefined) throw unsupported(param, message("wire.pictureKinds"));
  return { image: { format, source: { bytes: file.base64 } } };
}

/** The block of an image or a file. Throws for unsupported ones. */
export function fileBlock(
  part: ImageBlock | FileBlock | StoredFileBlock,
  { media, nameDocument }: MediaContext,
): PlainBlock {
  if (part.kind === "stored file") {
    throw unsupported(part.idPath, message("wire.storedFilesInline"));
  }
  const param = part.sourcePath;
  const file = inlined(part.source, media, param);
  if (part.kind === "image" || file.mediaType.startsWith("image/")) return imageBlock(file, param);
  const format = formatOf(file.mediaType, part.filename);
  if (format === undefined) {
    throw unsupported(param, message("wire.documentKinds"));
  }
  return { document: { format, name: nameDocument(part.filename), source: { bytes: file.base64 } } };
}

/** The block of an audio clip. Throws when the model has no audio input. */
export function audioBlock(
  { format, base64, sourcePath, formatPath }: AudioBlock,
  { takesAudio }: MediaContext,
): Block {
  if (!takesAudio) throw unsupported(sourcePath, message("wire.noAudio"));
  if (!audioFormats.has(format)) throw unsupported(formatPath);
  return { audio: { format, source: { bytes: base64 } } };
}

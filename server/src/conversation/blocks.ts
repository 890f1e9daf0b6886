/**
 * The blocks of a conversation's turns, in order. Each block has its path in the caller's request, so that a
 * protocol that cannot express it can name it in the refusal. Knows no wire format.
 */
import type { JsonRecord } from "../lib/record.ts";

/** A file's bytes, inline (base64 as sent), or its URL. */
export type Source =
  | { readonly kind: "inline"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

/**
 * A request to cache the prompt up to here. `given`: as the caller sent it, because kinds and lifetimes
 * differ by vendor. `path`: its path in the request.
 */
export interface CacheMark {
  readonly given: unknown;
  readonly path: string;
}

interface Placed {
  /** Path in the caller's request, like `messages[0].content[1]`. */
  readonly path: string;
  readonly cache: CacheMark | undefined;
  /** Members that the model of this folder has no field for, as in the protocol they were read from. */
  readonly extras: JsonRecord | undefined;
}

export interface TextBlock extends Placed {
  readonly kind: "text";
  readonly text: string;
}

/** The text of an assistant's refusal. */
export interface RefusalBlock extends Placed {
  readonly kind: "refusal";
  readonly text: string;
}

export interface ImageBlock extends Placed {
  readonly kind: "image";
  readonly source: Source;
  readonly detail: string | undefined;
  readonly sourcePath: string;
}

export interface AudioBlock extends Placed {
  readonly kind: "audio";
  /** wav, mp3 … */
  readonly format: string;
  readonly base64: string;
  readonly sourcePath: string;
  readonly formatPath: string;
  readonly dataPath: string;
}

export interface FileBlock extends Placed {
  readonly kind: "file";
  readonly source: Source;
  readonly filename: string | undefined;
  readonly sourcePath: string;
}

/** A file the caller stored at an upstream; only its id is known. */
export interface StoredFileBlock extends Placed {
  readonly kind: "stored file";
  readonly fileId: string;
  readonly idPath: string;
}

/** Content that any role may have in a turn, and a tool in its result. */
export type ContentBlock = TextBlock | RefusalBlock | ImageBlock | AudioBlock | FileBlock | StoredFileBlock;

/**
 * Reasoning of the model. Vendors need some of it back unchanged: what is signed or hidden is opaque, and
 * useful only to the vendor (`format`) and model that made it.
 */
export interface ReasoningBlock {
  readonly kind: "reasoning";
  /** Thoughts as text; undefined when hidden. */
  readonly text: string | undefined;
  /** Signs `text`. */
  readonly signature: string | undefined;
  /** Hidden thoughts, or the signature of another block. */
  readonly data: string | undefined;
  /** The format, like `anthropic-claude-v1`, which says who can read it; undefined when unknown. */
  readonly format: string | undefined;
  readonly model: string | undefined;
  /** The id of the part it belongs to, if that is not at the same place. */
  readonly id: string | undefined;
}

export interface ToolCallBlock {
  readonly kind: "tool call";
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it, possibly empty or invalid; for a custom tool, its plain text. */
  readonly arguments: string;
  readonly isCustom: boolean;
  /** Opaque data that the model's vendor needs back with this call. */
  readonly signature: string | undefined;
  readonly namePath: string;
  readonly extras: JsonRecord | undefined;
}

/** An image that the model made in an earlier answer. `url`: its URL, unparsed; empty when there is none. */
export interface MadeImageBlock {
  readonly kind: "made image";
  readonly url: string;
  readonly urlPath: string;
}

/** A page that an assistant's text cites, and the range of cited characters. */
export interface Citation {
  readonly url: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

export interface CitationBlock {
  readonly kind: "citation";
  readonly citation: Citation;
}

/** The kinds of blocks in an assistant turn. */
export type AssistantBlock = ContentBlock | ReasoningBlock | ToolCallBlock | MadeImageBlock | CitationBlock;

export interface ToolResultBlock {
  readonly kind: "tool result";
  /** Id of the call it answers. */
  readonly callId: string;
  /** The function's name, if its call is in the conversation or the result contains it. */
  readonly name: string | undefined;
  readonly content: readonly ContentBlock[];
  /** True when the tool failed; undefined: not given. */
  readonly isError: boolean | undefined;
  readonly cache: CacheMark | undefined;
  readonly path: string;
  /** Path of the call id. */
  readonly idPath: string;
  readonly extras: JsonRecord | undefined;
}

/** True for a block of text. */
export const isWords = (block: AssistantBlock): block is TextBlock | RefusalBlock =>
  block.kind === "text" || block.kind === "refusal";

/** True for a block in a turn's content, false for one beside it. */
export function isContent(block: AssistantBlock): block is ContentBlock {
  switch (block.kind) {
    case "reasoning":
    case "tool call":
    case "made image":
    case "citation":
      return false;
    default:
      return true;
  }
}

/**
 * The texts of a tool's result as one, for formats that take one: each begins a line of its own, because a
 * tool returns them apart. Other blocks are left out.
 */
export function resultTextOf(blocks: readonly ContentBlock[]): string {
  let text = "";
  for (const block of blocks) {
    if (!isWords(block) || block.text === "") continue;
    if (text !== "" && !text.endsWith("\n") && !block.text.startsWith("\n")) text += "\n";
    text += block.text;
  }
  return text;
}

/** The text of the blocks in order, without separators; other blocks are left out. */
export function textOf(blocks: readonly AssistantBlock[]): string {
  let text = "";
  for (const block of blocks) if (isWords(block)) text += block.text;
  return text;
}

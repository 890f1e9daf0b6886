/**
 * What turns of a conversation are made of: blocks, in the order they were said. A block
 * says where it stood in the caller's request, so that a protocol that cannot take it can
 * refuse it by name. Knows no wire format.
 */
import type { JsonRecord } from "../lib/record.ts";

/** Where a file's bytes are: inline (base64, as sent) or at an address. */
export type Source =
  | { readonly kind: "inline"; readonly mediaType: string; readonly base64: string }
  | { readonly kind: "url"; readonly url: string };

/**
 * A request to have the prompt cached up to here. `given`: as the caller sent it, because kinds and times
 * differ by vendor; `path`: where it stood.
 */
export interface CacheMark {
  readonly given: unknown;
  readonly path: string;
}

interface Placed {
  /** Where the block stood in the caller's request, like `messages[0].content[1]`. */
  readonly path: string;
  readonly cache: CacheMark | undefined;
  /** Fields the model has no word for, in the words of the protocol they were read from. */
  readonly extras: JsonRecord | undefined;
}

export interface TextBlock extends Placed {
  readonly kind: "text";
  readonly text: string;
}

/** What an assistant said in refusing. */
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

/** A file the caller stored somewhere: only its id is known. */
export interface StoredFileBlock extends Placed {
  readonly kind: "stored file";
  readonly fileId: string;
  readonly idPath: string;
}

/** What anybody may say in a turn, and a tool in its result. */
export type ContentBlock = TextBlock | RefusalBlock | ImageBlock | AudioBlock | FileBlock | StoredFileBlock;

/**
 * Reasoning of the model's. A vendor wants some of it back exactly as it was: what is `signed` or `hidden` is
 * opaque, and of use only to the vendor (`format`) and model that made it.
 */
export interface ReasoningBlock {
  readonly kind: "reasoning";
  /** Thoughts in words; undefined where they are hidden. */
  readonly text: string | undefined;
  /** Vouches for `text`. */
  readonly signature: string | undefined;
  /** Hidden thoughts, or the signature of another block. */
  readonly data: string | undefined;
  /** Who can read it, like `anthropic-claude-v1`; undefined where nobody said. */
  readonly format: string | undefined;
  readonly model: string | undefined;
  /** What it belongs to, where that is not the place it stands at. */
  readonly id: string | undefined;
}

export interface ToolCallBlock {
  readonly kind: "tool call";
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it, perhaps empty or broken; of a custom tool its plain input. */
  readonly arguments: string;
  readonly isCustom: boolean;
  /** Opaque: what the model's vendor wants to see again with this call. */
  readonly signature: string | undefined;
  readonly namePath: string;
  readonly extras: JsonRecord | undefined;
}

/** An image the model made in an earlier answer. `url`: its address, unread; empty where there is none. */
export interface MadeImageBlock {
  readonly kind: "made image";
  readonly url: string;
  readonly urlPath: string;
}

/** A page an assistant's text refers to, and the characters of the text it is about. */
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

/** What an assistant's turn is made of. */
export type AssistantBlock = ContentBlock | ReasoningBlock | ToolCallBlock | MadeImageBlock | CitationBlock;

export interface ToolResultBlock {
  readonly kind: "tool result";
  /** Of the call it answers. */
  readonly callId: string;
  /** The function's name, where the call it answers is in the conversation or the result says it. */
  readonly name: string | undefined;
  readonly content: readonly ContentBlock[];
  /** Did the tool fail? undefined = not said. */
  readonly isError: boolean | undefined;
  readonly cache: CacheMark | undefined;
  readonly path: string;
  /** Where the call's id stood. */
  readonly idPath: string;
  readonly extras: JsonRecord | undefined;
}

/** Is it a block of words? */
export const isWords = (block: AssistantBlock): block is TextBlock | RefusalBlock =>
  block.kind === "text" || block.kind === "refusal";

/** Does it stand in a turn's content, and not beside it? */
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

/** The text of blocks, in order, without separators; what is no text is left out. */
export function textOf(blocks: readonly AssistantBlock[]): string {
  let text = "";
  for (const block of blocks) if (isWords(block)) text += block.text;
  return text;
}

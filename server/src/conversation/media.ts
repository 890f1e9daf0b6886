/**
 * Finds the files a conversation contains by URL and replaces the URLs by the fetched bytes. Knows no wire
 * format.
 */
import type { ContentBlock, FileBlock, ImageBlock } from "./blocks.ts";
import { isContent } from "./blocks.ts";
import type { Conversation, Turn } from "./conversation.ts";

/** A file's bytes and its media type (lower case, without parameters). */
export interface MediaFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Fetched files by URL. */
export type Media = ReadonlyMap<string, MediaFile>;

/** A URL and its first position, like `messages[0].content[1].image_url.url`. */
export interface Address {
  readonly url: string;
  readonly param: string;
  readonly kind: "image" | "file";
}

function* contentsOf(turn: Turn): Generator<ContentBlock> {
  for (const block of turn.blocks) {
    if (block.kind === "tool result") yield* block.content;
    else if (isContent(block)) yield block;
  }
}

/** Each URL once, in order. */
export function addressesOf({ turns }: Conversation): Address[] {
  const found = new Map<string, Address>();
  for (const turn of turns) {
    for (const block of contentsOf(turn)) {
      if ((block.kind !== "image" && block.kind !== "file") || block.source.kind !== "url") continue;
      const { url } = block.source;
      if (!found.has(url)) found.set(url, { url, param: block.sourcePath, kind: block.kind });
    }
  }
  return [...found.values()];
}

function inlined<Block extends { readonly kind: string }>(block: Block, media: Media): Block {
  if (block.kind !== "image" && block.kind !== "file") return block;
  const { source } = block as unknown as ImageBlock | FileBlock;
  const file = source.kind === "url" ? media.get(source.url) : undefined;
  if (file === undefined) return block;
  const base64 = file.bytes.toString("base64");
  return { ...block, source: { kind: "inline", mediaType: file.mediaType, base64 } };
}

function withFiles(turn: Turn, media: Media): Turn {
  switch (turn.role) {
    case "tool": {
      const blocks = turn.blocks.map((result) => ({
        ...result,
        content: result.content.map((block) => inlined(block, media)),
      }));
      return { ...turn, blocks };
    }
    case "assistant":
      return { ...turn, blocks: turn.blocks.map((block) => inlined(block, media)) };
    default:
      return { ...turn, blocks: turn.blocks.map((block) => inlined(block, media)) };
  }
}

/** The conversation with fetched files inlined; the same object when nothing was fetched. */
export function withInlined(conversation: Conversation, media: Media | undefined): Conversation {
  if (media === undefined || media.size === 0) return conversation;
  return { ...conversation, turns: conversation.turns.map((turn) => withFiles(turn, media)) };
}

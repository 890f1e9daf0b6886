/**
 * Cache marks (`cache_control`) that callers put on messages, parts, tools and the whole request
 * (docs/wire/anthropic-messages.md section 5).
 */
import type { CacheControl } from "../claude/cache.ts";
import type { Markable, MessagesBody } from "./wire.ts";

/** The protocol's limit, including a mark on the whole request. */
const marksMax = 4;

/** Adds the mark to the block, if there is one. */
export function mark<Marked extends Markable>(block: Marked, control: CacheControl | undefined): Marked {
  if (control !== undefined) block.cache_control = control;
  return block;
}

/**
 * Removes marks above the protocol's limit. The last ones are kept, because they cover the longest prefix.
 */
export function limitMarks({ tools = [], system = [], messages, cache_control: whole }: MessagesBody): void {
  const marked: Markable[] = [];
  const gather = (block: Markable): void => {
    if (block.cache_control !== undefined) marked.push(block);
  };
  for (const tool of tools) gather(tool);
  for (const block of system) gather(block);
  for (const { content } of messages)
    for (const block of content) if ("cache_control" in block) gather(block);
  const most = whole === undefined ? marksMax : marksMax - 1;
  for (const block of marked.slice(0, Math.max(0, marked.length - most))) delete block.cache_control;
}

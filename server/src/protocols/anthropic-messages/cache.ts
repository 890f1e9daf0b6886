/**
 * Cache marks (`cache_control`), which callers may put on messages, parts, tools and the whole request
 * (docs/wire/anthropic-messages.md section 5).
 */
import { isRecord, type JsonRecord } from "../../lib/record.ts";
import { invalid } from "../untranslatable.ts";
import type { CacheControl, Markable, MessagesBody } from "./wire.ts";

/** The protocol's limit, a mark on the whole request included. */
const marksMax = 4;

/** The mark on something the caller sent. Throws for one of another shape. */
export function readMark(raw: JsonRecord | undefined, path: string): CacheControl | undefined {
  const mark = raw?.["cache_control"];
  if (mark === undefined || mark === null) return undefined;
  const at = path === "" ? "cache_control" : `${path}.cache_control`;
  if (!isRecord(mark) || mark["type"] !== "ephemeral") {
    throw invalid(at, `'${at}' must be {"type": "ephemeral"}, with "ttl" "5m" or "1h" where wanted.`);
  }
  const { ttl } = mark;
  if (ttl === undefined || ttl === null) return { type: "ephemeral" };
  if (ttl !== "5m" && ttl !== "1h") throw invalid(`${at}.ttl`, `'${at}.ttl' must be 5m or 1h.`);
  return { type: "ephemeral", ttl };
}

/** Puts the mark on, where there is one. */
export function mark<Marked extends Markable>(block: Marked, control: CacheControl | undefined): Marked {
  if (control !== undefined) block.cache_control = control;
  return block;
}

/** Leaves no more marks than the protocol takes: the last ones, which reach furthest. */
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

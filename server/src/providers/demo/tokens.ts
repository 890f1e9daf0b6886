/**
 * A simple substitute for a tokenizer: linear in the text and deterministic. Streamed tokens are exact (one
 * piece is one token); prompt tokens are estimated.
 */
import { isRecord } from "../../lib/record.ts";

/** Characters per token of ordinary text. */
const charactersPerToken = 4;
/** Tokens per wide character (Chinese, Japanese, Korean, emoji), since tokenizers rarely merge them. */
const tokensPerWide = 0.75;
/** Tokens a chat format adds around each message and before the answer. */
const tokensPerMessage = 4;
const tokensToOpen = 3;
/** Tokens counted for an image, an audio clip or a file. */
const tokensPerAttachment = 85;

/** True for a UTF-16 unit of a script without spaces, or half of an emoji. */
const isWide = (unit: number): boolean =>
  (unit >= 0x2e80 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xdfff) ||
  (unit >= 0xf900 && unit <= 0xfaff);

/**
 * Tokens of a text: a quarter per character, three quarters per wide one, rounded; at least 1 for non-empty
 * text.
 */
export function countTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isWide(text.charCodeAt(at))) wide += 1;
  }
  return Math.ceil((text.length - wide) / charactersPerToken + wide * tokensPerWide);
}

/** Tokens of one message's content. Each part that is not text counts the same. */
function countContent(content: unknown): number {
  if (typeof content === "string") return countTokens(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const part of content) {
    const text = isRecord(part) ? (part["text"] ?? part["refusal"]) : undefined;
    tokens += typeof text === "string" ? countTokens(text) : tokensPerAttachment;
  }
  return tokens;
}

/** Tokens of a whole prompt: messages, their tool calls, and the declared tools. */
export function countPrompt(messages: readonly Readonly<Record<string, unknown>>[], tools: unknown): number {
  let tokens = tokensToOpen;
  for (const message of messages) {
    tokens += tokensPerMessage + countContent(message["content"]);
    const calls = message["tool_calls"] ?? message["function_call"];
    if (calls !== undefined && calls !== null) tokens += countTokens(JSON.stringify(calls));
  }
  if (Array.isArray(tools) && tools.length > 0) tokens += countTokens(JSON.stringify(tools));
  return tokens;
}

/** Most characters of one piece; longer words are split, as tokenizers do. */
const pieceMax = 12;
const pieces = new RegExp(String.raw`\s*\S{1,${pieceMax}}|\s+$`, "gu");

/** Splits a text into word-like pieces. Joined, they are the text again; no character is split. */
export function toPieces(text: string): string[] {
  return text.match(pieces) ?? [];
}

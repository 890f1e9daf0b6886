/**
 * A stand-in for a tokenizer: linear in the text and the same every time. The demo counts what it streams
 * exactly (one piece is one token) and estimates what it was given.
 */
import { isRecord } from "../../lib/record.ts";

/** Characters per token of ordinary text. */
const charactersPerToken = 4;
/** Tokens per wide character (Chinese, Japanese, Korean, emoji), which tokenizers rarely merge. */
const tokensPerWide = 0.75;
/** What a chat format adds around each message, and to open the answer. */
const tokensPerMessage = 4;
const tokensToOpen = 3;
/** What an image, a clip or a file counts as. */
const tokensPerAttachment = 85;

/** Is this UTF-16 unit from the scripts written without spaces, or half of an emoji? */
const isWide = (unit: number): boolean =>
  (unit >= 0x2e80 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xdfff) ||
  (unit >= 0xf900 && unit <= 0xfaff);

/**
 * Tokens of a text: a quarter per character, three quarters per wide one; whole and at least 1 for any text.
 */
export function countTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isWide(text.charCodeAt(at))) wide += 1;
  }
  return Math.ceil((text.length - wide) / charactersPerToken + wide * tokensPerWide);
}

/** Tokens of one message's content: text, or parts of which everything but text counts the same. */
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

/** Tokens of a whole prompt: messages, the calls in them, and the tools offered. */
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

/** Longest piece in characters; longer words are split as a tokenizer would. */
const pieceMax = 12;
const pieces = new RegExp(String.raw`\s*\S{1,${pieceMax}}|\s+$`, "gu");

/** Cuts a text into word-like pieces which, joined, are the text again. No character is split. */
export function toPieces(text: string): string[] {
  return text.match(pieces) ?? [];
}

/**
 * Twenty recorded-style streams, built from docs/wire/openai-chat.md (sections 4, 5 and 10), not recorded
 * from a vendor; each shows one difference of real upstreams. Pure: the same bytes on every run.
 */

import { isUsageOnly, splitEvents } from "../sse.ts";
import type { StreamRecipe } from "./chunk.ts";
import {
  chunk,
  type Dialect,
  eventBytes,
  openaiDialect,
  type StreamHead,
  usageChunk,
  usageOf,
} from "./chunk.ts";
import { type TextKind, tokenText } from "./tokens.ts";
import { toolStreams } from "./tool-streams.ts";
import { vendorStreams } from "./vendor-streams.ts";

/** A whole stream as an upstream sends it when usage was requested. */
export interface RecordedStream {
  readonly name: string;
  readonly bytes: Buffer;
  /** `bytes` split after each blank line. */
  readonly events: readonly Buffer[];
  /** Indexes into `events` of usage-only events, which callers must not see unless they requested usage. */
  readonly usageOnly: readonly number[];
}

/** A text stream: role, tokens, finish, usage, end. */
function textPieces(
  head: StreamHead,
  kind: TextKind,
  count: number,
  options: { dialect?: Dialect; top?: object; finish?: string; key?: string } = {},
): Buffer[] {
  const dialect = options.dialect ?? openaiDialect;
  const write = (value: object | string): Buffer => eventBytes(value, dialect);
  const shared = options.top === undefined ? {} : { top: options.top };
  const pieces = [write(chunk(head, { role: "assistant", content: "" }, shared))];
  for (let index = 0; index < count; index++) {
    pieces.push(write(chunk(head, { [options.key ?? "content"]: tokenText(kind, index) }, shared)));
  }
  pieces.push(write(chunk(head, {}, { finish: options.finish ?? "stop", ...shared })));
  pieces.push(write(usageChunk(head, usageOf(21, count))), write("[DONE]"));
  return pieces;
}

function head(name: string): StreamHead {
  return { id: `chatcmpl-${name}`, created: 1_760_000_000, model: "upstream-model" };
}

function textStreams(): StreamRecipe[] {
  const comment = (text: string): Buffer => Buffer.from(`: ${text}\n\n`);
  const plain = textPieces(head("comments"), "en", 6);
  return [
    { name: "plain-text", pieces: textPieces(head("plain"), "en", 20) },
    { name: "chinese", pieces: textPieces(head("chinese"), "zh", 20) },
    { name: "emoji-zwj", pieces: textPieces(head("emoji"), "emoji", 14) },
    { name: "usage-null", pieces: textPieces(head("usage-null"), "en", 8, { top: { usage: null } }) },
    {
      name: "obfuscation",
      pieces: textPieces(head("obfuscation"), "en", 8, {
        top: { service_tier: "default", obfuscation: "aZ3kQ" },
      }),
    },
    {
      name: "python-spaces",
      pieces: textPieces(head("python"), "zh", 8, { dialect: { json: "python", lineEnd: "\n" } }),
    },
    {
      name: "crlf",
      pieces: textPieces(head("crlf"), "zh", 8, { dialect: { json: "compact", lineEnd: "\r\n" } }),
    },
    {
      name: "comments",
      pieces: plain.flatMap((piece, index) =>
        index % 2 === 0 ? [comment("OPENROUTER PROCESSING"), piece] : [piece],
      ),
    },
    { name: "structured-output", pieces: structured() },
    { name: "two-choices", pieces: twoChoices() },
    { name: "logprobs", pieces: logprobs() },
    { name: "refusal", pieces: textPieces(head("refusal"), "en", 6, { key: "refusal" }) },
    { name: "audio-delta", pieces: audio() },
    { name: "annotations", pieces: annotations() },
  ];
}

function structured(): Buffer[] {
  const at = head("structured");
  const parts = ['{"', "city", '":"', "北", "京", '","n":', "9007199254740993", ',"e":', "1e-7", "}"];
  return [
    eventBytes(chunk(at, { role: "assistant", content: "" })),
    ...parts.map((content) => eventBytes(chunk(at, { content }))),
    eventBytes(chunk(at, {}, { finish: "stop" })),
    eventBytes(usageChunk(at, usageOf(30, parts.length))),
    eventBytes("[DONE]"),
  ];
}

function twoChoices(): Buffer[] {
  const at = head("two");
  const pieces: Buffer[] = [];
  for (const index of [0, 1])
    pieces.push(eventBytes(chunk(at, { role: "assistant", content: "" }, { index })));
  for (let token = 0; token < 8; token++) {
    pieces.push(eventBytes(chunk(at, { content: tokenText("en", token) }, { index: token % 2 })));
  }
  for (const index of [1, 0]) pieces.push(eventBytes(chunk(at, {}, { index, finish: "stop" })));
  return [...pieces, eventBytes(usageChunk(at, usageOf(12, 8))), eventBytes("[DONE]")];
}

function logprobs(): Buffer[] {
  const at = head("logprobs");
  const one = (token: string): object => ({
    content: [
      {
        token,
        logprob: -0.000012345,
        bytes: [...Buffer.from(token)],
        top_logprobs: [{ token, logprob: -1e-7, bytes: null }],
      },
    ],
    refusal: null,
  });
  const tokens = [0, 1, 2, 3, 4].map((index) => tokenText("zh", index));
  return [
    eventBytes(chunk(at, { role: "assistant", content: "" })),
    ...tokens.map((content) => eventBytes(chunk(at, { content }, { choice: { logprobs: one(content) } }))),
    eventBytes(chunk(at, {}, { finish: "length" })),
    eventBytes(usageChunk(at, usageOf(12, tokens.length))),
    eventBytes("[DONE]"),
  ];
}

function audio(): Buffer[] {
  const at = head("audio");
  const data = Buffer.alloc(300, 7).toString("base64");
  return [
    eventBytes(chunk(at, { role: "assistant", content: null, audio: { id: "audio_1", transcript: "" } })),
    ...[0, 1, 2].map((index) => eventBytes(chunk(at, { audio: { transcript: tokenText("en", index) } }))),
    ...[0, 1].map(() => eventBytes(chunk(at, { audio: { data } }))),
    eventBytes(chunk(at, { audio: { expires_at: 1_760_003_600 } })),
    eventBytes(chunk(at, {}, { finish: "stop" })),
    eventBytes(
      usageChunk(
        at,
        usageOf(12, 40, { completion_tokens_details: { audio_tokens: 37, reasoning_tokens: 0 } }),
      ),
    ),
    eventBytes("[DONE]"),
  ];
}

function annotations(): Buffer[] {
  const at = head("annotations");
  const citation = {
    type: "url_citation",
    url_citation: { start_index: 0, end_index: 3, title: "新聞", url: "https://example.com/?q=1" },
  };
  return [
    ...textPieces(at, "en", 5).slice(0, 6),
    eventBytes(chunk(at, { annotations: [citation] })),
    eventBytes(chunk(at, {}, { finish: "stop" })),
    eventBytes(usageChunk(at, usageOf(12, 5))),
    eventBytes("[DONE]"),
  ];
}

function record(recipe: StreamRecipe): RecordedStream {
  const bytes = Buffer.concat(recipe.pieces);
  const events = splitEvents(bytes);
  const usageOnly = events.flatMap((piece, index) => (isUsageOnly(piece) ? [index] : []));
  return { name: recipe.name, bytes, events, usageOnly };
}

/** All streams, in a fixed order. */
export const recordedStreams: readonly RecordedStream[] = [
  ...textStreams(),
  ...toolStreams(),
  ...vendorStreams(),
].map(record);

/** The stream of this name, or undefined. */
export function findStream(name: string): RecordedStream | undefined {
  return recordedStreams.find((stream) => stream.name === name);
}

/** A chunk without `"usage": null`, by parsing it; the same bytes where there is none. */
function withoutNullUsage(piece: Buffer): Buffer {
  const text = piece.toString("utf8");
  const [, json = ""] = /^data: (\{.*\})\r?\n/.exec(text) ?? [];
  const chunk = (json === "" ? {} : JSON.parse(json)) as { usage?: unknown };
  if (chunk.usage !== null) return piece;
  const { usage: _, ...others } = chunk;
  return Buffer.from(text.replace(json, () => JSON.stringify(others)));
}

/**
 * The bytes a caller must get of a recorded stream: without a request for usage, neither usage-only events
 * nor null usage.
 */
export function owedBytes(stream: RecordedStream, isUsageAsked: boolean): Buffer {
  if (isUsageAsked) return stream.bytes;
  const kept = stream.events.filter((_, index) => !stream.usageOnly.includes(index));
  return Buffer.concat(kept.map(withoutNullUsage));
}

/**
 * The protocol of `example`, both ways. A protocol that several providers speak has its own folder in
 * `protocols/`; one that a single provider speaks may stay beside it. Pure: no network, no clock.
 *
 *     → { engine, turns: [{ who: "guide" | "person" | "engine", words }], warmth?, longest?, live? }
 *     ← { words, why: "done" | "longest" | "filtered", read, wrote }
 *     ← data: { "words": "…" }    as often as it likes, then
 *       data: { "why": "done", "read": 10, "wrote": 5 }
 *     ← { "wrong": "key" | "pace" | "busy" | "request" | …, "because": "…" }
 */
import type { AnswerSink, EndReason } from "../../conversation/answer.ts";
import { isWords, textOf } from "../../conversation/blocks.ts";
import type { Conversation, Turn } from "../../conversation/conversation.ts";
import { type JsonRecord, parseJson, recordOf } from "../../lib/record.ts";
import { createEventReader } from "../../lib/sse/event-reader.ts";
import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import { isNothing, Leftovers } from "../../protocols/leftovers.ts";
import type {
  AnswerDecoder,
  EncodeContext,
  Encoded,
  Fault,
  UpstreamHeaders,
} from "../../protocols/protocol.ts";
import { checkSettings, commonSettings, type SettingRules, sampled } from "../../protocols/settings.ts";
import { unsupported } from "../../protocols/untranslatable.ts";
import { count, usageOf } from "../../protocols/usage-counts.ts";

/**
 * What becomes of the caller's settings. "used": read below. "told": left out and named in a
 * header, because it asks for a manner. `isNothing`: refused by name unless the value asks for
 * nothing. What is not named is refused.
 */
const rules: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "told",
    seed: "told",
    reasoning: "told",
    choices: (value) => value === 1,
    stop: isNothing,
    tools: isNothing,
    toolChoice: isNothing,
    format: (value) => recordOf(value)["type"] === "text",
  },
  extras: {},
};

const speakers = { system: "guide", user: "person", assistant: "engine" } as const;

/**
 * One turn. Throws `Untranslatable` with its path for what the protocol cannot say. Reasoning and citations
 * of an earlier answer are of use only to the vendor that wrote them.
 */
function encodeTurn(turn: Turn): JsonRecord {
  if (turn.role === "tool") throw unsupported(turn.path);
  for (const block of turn.blocks) {
    if (isWords(block) || block.kind === "reasoning" || block.kind === "citation") continue;
    throw unsupported("path" in block ? block.path : turn.path);
  }
  return { who: speakers[turn.role], words: textOf(turn.blocks) };
}

/** The body of one call, and what was left out of it. Throws `Untranslatable`. */
export function encodeRequest(
  conversation: Conversation,
  context: EncodeContext,
  model: string,
): Encoded<JsonRecord> {
  const leftovers = new Leftovers(context.dropsParams === true);
  checkSettings(conversation, rules, leftovers);
  const warmth = sampled(conversation, "temperature");
  // Never more than is paid for.
  const most = context.outputTokensMax ?? Number.POSITIVE_INFINITY;
  const longest = Math.min(conversation.outputTokens ?? most, most);
  const body = {
    engine: model,
    turns: conversation.turns.map(encodeTurn),
    ...(warmth === undefined ? {} : { warmth }),
    ...(Number.isFinite(longest) ? { longest } : {}),
    ...(context.isStream ? { live: true } : {}),
  };
  return { body, dropped: leftovers.dropped };
}

const ends: Readonly<Record<string, EndReason>> = {
  done: "stop",
  longest: "length",
  filtered: "content_filter",
};

/** Says what an answer holds, the whole one or one event of it. True: it says how it ended. */
function emit(sink: AnswerSink, { words, why, read, wrote }: JsonRecord): boolean {
  if (typeof words === "string") sink.text(words);
  if (typeof why !== "string") return false;
  // Absent counts are not 0: then Plaza estimates. Impossible ones come out as undefined.
  const [input, output] = [count(read), count(wrote)];
  const usage = input === undefined || output === undefined ? undefined : usageOf({ input, output });
  if (usage !== undefined) sink.usage(usage);
  sink.finish(ends[why] ?? "stop");
  return true;
}

/**
 * Reads answers: a stream has ended only where the answer's own end was seen; what is no answer is a fault.
 */
export const exampleDecoder: AnswerDecoder = {
  streamType: "text/event-stream",
  stream(_context, sink) {
    const reader = createEventReader((data) => {
      const event = recordOf(parseJson(data));
      if (event["wrong"] !== undefined) sink.error(data);
      else if (emit(sink, event)) sink.close();
    });
    return {
      push(chunk) {
        if (!reader.push(chunk)) sink.error('{"wrong":"event too large"}');
      },
      end: () => reader.end(),
    };
  },
  whole: (body, _context, sink) => emit(sink, recordOf(parseJson(body.toString("utf8")))),
};

/** Its words for what is wrong → types that OpenAI's reader of errors knows. */
const types: Readonly<Record<string, string>> = {
  request: "invalid_request_error",
  key: "authentication_error",
  pace: "rate_limit_error",
  busy: "overloaded_error",
};

/** Classifies an answer that is not a success, or the error event of a stream (status 200). */
export function faultOfExample(status: number, headers: UpstreamHeaders, body: string): Fault {
  const { wrong, because } = recordOf(parseJson(body));
  if (typeof wrong !== "string") return faultOfAnswer(status, headers, body);
  const message = typeof because === "string" ? because : "";
  return faultOfAnswer(status, headers, JSON.stringify({ error: { type: types[wrong] ?? wrong, message } }));
}

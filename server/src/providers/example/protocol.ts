/**
 * The protocol of `example`, in both directions. A protocol used by several providers has its own folder in
 * `protocols/`; one used by a single provider may be kept in the provider's folder. Pure: no network, no
 * clock.
 *
 *     → { engine, turns: [{ who: "guide" | "person" | "engine", words }], warmth?, longest?, live? }
 *     ← { words, why: "done" | "longest" | "filtered", read, wrote }
 *     ← data: { "words": "…" } any number of times, then
 *       data: { "why": "done", "read": 10, "wrote": 5 }
 *     ← { "wrong": "key" | "pace" | "busy" | "request" | …, "because": "…" }
 */
import type { Usage } from "@plaza/contract/usage.ts";
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
 * How each of the caller's settings is handled. "used": read below. "dropped": left out and listed in a
 * response header, because it only affects style. `isNothing`: refused by name unless the value asks for
 * nothing. Settings not listed are refused.
 */
const rules: SettingRules = {
  settings: {
    ...commonSettings,
    temperature: "used",
    topP: "dropped",
    seed: "dropped",
    reasoning: "dropped",
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
 * Encodes one turn. Throws `Untranslatable` with the path of what the protocol cannot express. Reasoning and
 * citations of earlier answers are dropped: only the vendor that wrote them can use them.
 */
function encodeTurn(turn: Turn): JsonRecord {
  if (turn.role === "tool") throw unsupported(turn.path);
  for (const block of turn.blocks) {
    if (isWords(block) || block.kind === "reasoning" || block.kind === "citation") continue;
    throw unsupported("path" in block ? block.path : turn.path);
  }
  return { who: speakers[turn.role], words: textOf(turn.blocks) };
}

/** The body of one call and the names of dropped fields. Throws `Untranslatable`. */
export function encodeRequest(
  conversation: Conversation,
  context: EncodeContext,
  model: string,
): Encoded<JsonRecord> {
  const leftovers = new Leftovers(context.dropsParams === true);
  checkSettings(conversation, rules, leftovers);
  const warmth = sampled(conversation, "temperature");
  // Never more output than the caller has paid for.
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

/**
 * The tokens an answer reports; undefined when a count is absent or impossible. An absent one is not 0: Plaza
 * then estimates.
 */
export function readUsage(answer: unknown): Usage | undefined {
  const { read, wrote } = recordOf(answer);
  const [input, output] = [count(read), count(wrote)];
  return input === undefined || output === undefined ? undefined : usageOf({ input, output });
}

/** Reports the content of a whole answer or of one event. Returns true when it says why the answer ended. */
function emit(sink: AnswerSink, answer: JsonRecord): boolean {
  const { words, why } = answer;
  if (typeof words === "string") sink.text(words);
  if (typeof why !== "string") return false;
  const usage = readUsage(answer);
  if (usage !== undefined) sink.usage(usage);
  sink.finish(ends[why] ?? "stop");
  return true;
}

/**
 * Decodes answers. A stream has ended only after its own end marker; anything that is not an answer is a
 * fault.
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

/** The example's error types → types that the OpenAI error reader knows. */
const types: Readonly<Record<string, string>> = {
  request: "invalid_request_error",
  key: "authentication_error",
  pace: "rate_limit_error",
  busy: "overloaded_error",
};

/** Classifies an error answer, or the error event of a stream (status 200). */
export function faultOfExample(status: number, headers: UpstreamHeaders, body: string): Fault {
  const { wrong, because } = recordOf(parseJson(body));
  if (typeof wrong !== "string") return faultOfAnswer(status, headers, body);
  const message = typeof because === "string" ? because : "";
  return faultOfAnswer(status, headers, JSON.stringify({ error: { type: types[wrong] ?? wrong, message } }));
}

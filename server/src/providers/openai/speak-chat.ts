/**
 * Chat completions as an upstream's format: callers of chat are passed on with the edits of the upstream's
 * own codec; for callers of every other format a chat body is written first, and goes the same way.
 */
import type { Conversation } from "../../conversation/conversation.ts";
import { membersOf } from "../../lib/json/spans.ts";
import { chatDecoder } from "../../protocols/openai-chat/decode-answer.ts";
import { settingNamed } from "../../protocols/openai-chat/decode-request.ts";
import { encodeRequest } from "../../protocols/openai-chat/encode-request.ts";
import type { AnswerDecoder, FieldSpans, Span, UpstreamCall } from "../../protocols/protocol.ts";
import { Untranslatable, unsupported } from "../../protocols/untranslatable.ts";
import type { HttpCodec, SpokenFormat } from "../provider.ts";
import type { AnswerAdapter } from "./adapt-answer.ts";
import { type DialectFacts, dialectOf } from "./dialects.ts";
import { encodeChat } from "./encode.ts";

/** How an upstream that speaks chat is called by callers of chat, and what its answers go through. */
export interface SpokenChat extends DialectFacts {
  readonly codec: Omit<HttpCodec, "translation">;
  /** Absent: its answers are chat as OpenAI defines it. */
  readonly answers?: AnswerAdapter | undefined;
}

/** Without deviations. */
export const plainChat: SpokenChat = { codec: { encode: encodeChat } };

/** Reads answers once they are brought to chat as OpenAI defines it. */
const adapted = (adapter: AnswerAdapter): AnswerDecoder => ({
  streamType: adapter.streamType,
  stream(context, sink) {
    const translator = adapter.stream(contextOf(context));
    const reader = chatDecoder.stream(context, sink);
    return {
      push: (chunk) => reader.push(translator.push(chunk)),
      end() {
        reader.push(translator.end());
        reader.end();
      },
    };
  },
  whole(body, context, sink) {
    const answer = adapter.whole(body, contextOf(context));
    return answer !== undefined && chatDecoder.whole(answer, context, sink);
  },
});

type AdapterContext = Parameters<AnswerAdapter["stream"]>[0];

const contextOf = ({ answerId, model, memory }: Parameters<AnswerDecoder["stream"]>[0]): AdapterContext => ({
  id: answerId,
  createdSeconds: 0,
  model,
  request: { memory },
});

/** Where what the edits of a codec look for lies in a body of ours. */
function spansOf(body: Buffer): FieldSpans {
  const spans: Record<string, Span> = {};
  for (const { name, start, end } of membersOf(body, 0)) spans[name] = { start, end };
  const { model, stream_options, max_tokens, max_completion_tokens } = spans;
  return { model, stream_options, max_tokens, max_completion_tokens };
}

/**
 * The caller's own word for a parameter that an upstream's rules refuse or leave out under chat's. Messages
 * are counted otherwise than the caller's turns: of them only the whole is named.
 */
function callersName({ names }: Conversation, param: string): string {
  const end = param.search(/[.[]/);
  const name = end < 0 ? param : param.slice(0, end);
  const setting = settingNamed(name);
  if (setting === undefined || setting === "manner") return param;
  return name === "reasoning_effort" ? names.effort : names[setting];
}

/** The call by the upstream's own codec, with what it refuses under the caller's name. */
function passedOn(call: () => UpstreamCall, conversation: Conversation): UpstreamCall {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Untranslatable) || error.code !== "unsupported_parameter") throw error;
    throw unsupported(callersName(conversation, error.param));
  }
}

/** The upstream's format, for callers of every format. */
export function speakChat({ codec, answers, ...facts }: SpokenChat): SpokenFormat {
  return {
    format: "openai-chat",
    decoder: answers === undefined ? chatDecoder : adapted(answers),
    passing: answers === undefined ? codec : { ...codec, translation: answers },
    encode(conversation, request, upstream, credential, model) {
      const dialect = dialectOf(upstream, model, facts);
      const { body: fields, dropped = [] } = encodeRequest(conversation, request, model, dialect);
      const body = Buffer.from(JSON.stringify(fields));
      const asked = { ...request, body, spans: spansOf(body) };
      const call = passedOn(() => codec.encode(asked, upstream, credential, model), conversation);
      const more = (call.dropped ?? []).map((name) => callersName(conversation, name));
      const left = [...new Set([...dropped, ...more])];
      return left.length === 0 ? call : { ...call, dropped: left };
    },
  };
}

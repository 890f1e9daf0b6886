/**
 * Chat completions as an upstream's format: callers of chat are passed on with the edits of the upstream's
 * own codec; for callers of every other format a chat body is written first, and goes the same way.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { membersOf } from "../../lib/json/spans.ts";
import { chatDecoder } from "../../protocols/openai-chat/decode-answer.ts";
import { openaiDialect } from "../../protocols/openai-chat/dialect.ts";
import { encodeRequest } from "../../protocols/openai-chat/encode-request.ts";
import type { AnswerDecoder, FieldSpans, Span } from "../../protocols/protocol.ts";
import type { HttpCodec, SpokenFormat } from "../provider.ts";
import type { AnswerAdapter } from "./adapt-answer.ts";
import { chatBoundOf, encodeChat } from "./encode.ts";

/** How an upstream that speaks chat is called by callers of chat, and what its answers go through. */
export interface SpokenChat {
  readonly codec: Omit<HttpCodec, "translation">;
  /** Absent: its answers are chat as everybody reads it. */
  readonly answers?: AnswerAdapter | undefined;
}

/** Without deviations. */
export const plainChat: SpokenChat = { codec: { encode: encodeChat } };

/** Reads answers once they are brought to chat as everybody reads it. */
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

const dialectOf = (upstream: Upstream) => ({ ...openaiDialect, outputName: chatBoundOf(upstream) });

/** The upstream's format, for callers of every format. */
export function speakChat({ codec, answers }: SpokenChat): SpokenFormat {
  return {
    format: "openai-chat",
    decoder: answers === undefined ? chatDecoder : adapted(answers),
    passing: answers === undefined ? codec : { ...codec, translation: answers },
    encode(conversation, request, upstream, credential, model) {
      const { body: fields, dropped } = encodeRequest(conversation, request, model, dialectOf(upstream));
      const body = Buffer.from(JSON.stringify(fields));
      const call = codec.encode({ ...request, body, spans: spansOf(body) }, upstream, credential, model);
      const left = [...(dropped ?? []), ...(call.dropped ?? [])];
      return left.length === 0 ? call : { ...call, dropped: left };
    },
  };
}

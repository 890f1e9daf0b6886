/**
 * What a chunk of a stream costs that is translated, for callers of every format at upstreams of every other
 * format: CPU of decoding the upstream's event, writing the caller's, and reading what was written for the
 * relay; in microseconds (best of many rounds). `relay.ts` has what passes.
 *
 * Run: node bench/micro/translate-formats.ts
 */

import { createSseReaderFactory } from "../../server/src/lib/sse/sse.ts";
import { anthropicMessages } from "../../server/src/protocols/anthropic-messages/answers/answers.ts";
import { messagesDecoder } from "../../server/src/protocols/anthropic-messages/decode-answer.ts";
import type { CallerFormat } from "../../server/src/protocols/format.ts";
import { gemini } from "../../server/src/protocols/gemini/answers/answers.ts";
import { geminiDecoder } from "../../server/src/protocols/gemini/decode-answer.ts";
import { openaiChat } from "../../server/src/protocols/openai-chat/answers/answers.ts";
import { chatDecoder } from "../../server/src/protocols/openai-chat/decode-answer.ts";
import { openaiResponses } from "../../server/src/protocols/openai-responses/answers/answers.ts";
import { responsesDecoder } from "../../server/src/protocols/openai-responses/decode-answer.ts";
import type {
  AnswerDecoder,
  ProviderRequest,
  StreamTranslator,
} from "../../server/src/protocols/protocol.ts";
import type { WireProtocol } from "../../server/src/protocols/wire-protocol.ts";
import { microsPerCall } from "./time.ts";

const chunksPerStream = 500;
/** Some four tokens. */
const words = " The quick brown fox";

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;
const place = { item_id: "msg_bench00000000000", output_index: 0, content_index: 0 };

interface Source {
  readonly decoder: AnswerDecoder;
  /** What comes before the chunks. */
  readonly first: string;
  readonly chunk: string;
}

/** Upstreams, as the vendors write their events. */
const sources: Readonly<Record<string, Source>> = {
  "openai-chat": {
    decoder: chatDecoder,
    first: "",
    chunk: data({
      ...{ id: "chatcmpl-bench0000000000000000000", object: "chat.completion.chunk", created: 1_760_000_000 },
      ...{ model: "bench", service_tier: "default" },
      choices: [{ index: 0, delta: { content: words }, logprobs: null, finish_reason: null }],
    }),
  },
  "openai-responses": {
    decoder: responsesDecoder(),
    first: named({
      type: "response.output_item.added",
      ...{ output_index: 0, item: { id: "msg_bench00000000000", type: "message", content: [] } },
    }),
    chunk: named({
      type: "response.output_text.delta",
      ...{ sequence_number: 7, ...place, delta: words, logprobs: [], obfuscation: "aB3dE5gH7j" },
    }),
  },
  "anthropic-messages": {
    decoder: messagesDecoder(),
    first:
      named({ type: "message_start", ...{ message: { usage: { input_tokens: 9, output_tokens: 1 } } } }) +
      named({ type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } }),
    chunk: named({
      type: "content_block_delta",
      ...{ index: 0, delta: { type: "text_delta", text: words } },
    }),
  },
  gemini: {
    decoder: geminiDecoder,
    first: "",
    chunk: data({
      candidates: [{ content: { parts: [{ text: words }], role: "model" }, index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: 180, candidatesTokenCount: 9, totalTokenCount: 189 },
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 180 }],
      },
      ...{ modelVersion: "bench", responseId: "bench000000000000000" },
    }),
  },
};

/** Callers, and what they asked. */
const callers: readonly (readonly [protocol: WireProtocol, request: object])[] = [
  [openaiChat, { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] }],
  [openaiResponses, { model: "m", stream: true, input: "Hello" }],
  [
    anthropicMessages,
    { model: "m", stream: true, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
  ],
  [gemini, { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
];

const copies = (text: string): Buffer[] => Array.from({ length: 64 }, () => Buffer.from(Buffer.from(text)));

/** Microseconds per chunk; of an upstream of the caller's own format only those of the relay's reader. */
function microsPerChunk(protocol: WireProtocol, asked: object, { decoder, first, chunk }: Source): number {
  const { id, translation } = protocol.format as CallerFormat;
  const readers = createSseReaderFactory({ marks: protocol.streamMarks, eventBytesMax: 8 << 20 });
  const request = { body: Buffer.from(JSON.stringify(asked)), spans: {}, isStream: true } as ProviderRequest;
  const context = { id: "bench-1", createdSeconds: 1, model: "bench", request };
  const isPassed = sources[id]?.decoder === decoder;
  const chunks = copies(chunk);
  const made = isPassed ? undefined : translation(decoder);
  let reader = readers.create();
  let translator: StreamTranslator | undefined;
  let next = chunksPerStream;
  return microsPerCall(() => {
    if (next === chunksPerStream) {
      next = 0;
      reader = readers.create();
      translator = made?.stream(context);
      translator?.push(Buffer.from(first));
    }
    next += 1;
    const bytes = chunks[next % chunks.length] as Buffer;
    reader.push(translator === undefined ? bytes : translator.push(bytes));
    let flags = 0;
    for (let index = 0; index < reader.count; index += 1) flags += reader.flags(index);
    return flags;
  });
}

for (const [protocol, asked] of callers) {
  const caller = protocol.format as CallerFormat;
  for (const [name, source] of Object.entries(sources)) {
    const micros = microsPerChunk(protocol, asked, source);
    const how = name === caller.id ? "passed, the relay's reader alone" : "translated (wanted ≤ 6)";
    console.log(`${`${caller.id} at ${name}, ${how}`.padEnd(76)} ${micros.toFixed(2).padStart(7)} µs`);
  }
}

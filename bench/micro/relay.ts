/**
 * What one chunk of a stream costs the relay itself, by the format that passes: read, counted, handed to a
 * reply whose exchange forgets it. Formats take turns in one process. What node:http and a socket add is the
 * same for all: `serving.ts --only chunk` has the whole cost, of which the differences here are a part.
 *
 * Run: node bench/micro/relay.ts [--turns 30] [--whole 9.5]   (`--whole`: microseconds of a whole chat chunk)
 */
import { parseArgs } from "node:util";
import { defaultTimeouts } from "../../contract/catalog.ts";
import type { AttemptContext } from "../../server/src/gateway/dispatch/attempt/attempt.ts";
import { StreamAttempt } from "../../server/src/gateway/dispatch/attempt/relay.ts";
import { createDisconnectPolicy } from "../../server/src/gateway/request/client-disconnect.ts";
import { Reply } from "../../server/src/gateway/request/reply.ts";
import type { Exchange } from "../../server/src/lib/net/exchange.ts";
import { createSseReaderFactory } from "../../server/src/lib/sse/sse.ts";
import type { Ticker } from "../../server/src/lib/time/ticker.ts";
import { anthropicMessages } from "../../server/src/protocols/anthropic-messages/answers/answers.ts";
import { gemini } from "../../server/src/protocols/gemini/answers/answers.ts";
import { openaiChat } from "../../server/src/protocols/openai-chat/answers/answers.ts";
import { openaiResponses } from "../../server/src/protocols/openai-responses/answers/answers.ts";
import type { WireProtocol } from "../../server/src/protocols/wire-protocol.ts";
import { median } from "../measure/statistics.ts";

const { values: options } = parseArgs({
  options: { turns: { type: "string", default: "30" }, whole: { type: "string" } },
});

const streamsOpen = 1_000;
const chunksPerTurn = 100_000;
const warmUps = 8;
/** Chunks of one read of a socket each, as the system gives them: in memory of their own. */
const chunkCopies = 64;
const words = "The grain ship came in late.";

const data = (value: object, end = "\n\n"): string => `data: ${JSON.stringify(value)}${end}`;
const named = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`;

interface Format {
  readonly protocol: WireProtocol;
  /** What comes before the chunks, up to the first content. */
  readonly first: string;
  /** One chunk of words as the vendor writes it. */
  readonly chunk: string;
}

const chatChunk = (delta: object): string =>
  data({
    id: "chatcmpl-bench0000000000000000000",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "bench",
    service_tier: "default",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  });
const textDelta = named({
  type: "response.output_text.delta",
  ...{ sequence_number: 7, item_id: "msg_bench00000000000", output_index: 0, content_index: 0 },
  ...{ delta: words, logprobs: [], obfuscation: "aB3dE5gH7j" },
});
const blockDelta = named({
  type: "content_block_delta",
  ...{ index: 0, delta: { type: "text_delta", text: words } },
});
const geminiChunk = data(
  {
    candidates: [{ content: { parts: [{ text: words }], role: "model" }, index: 0 }],
    usageMetadata: {
      ...{ promptTokenCount: 180, candidatesTokenCount: 9, totalTokenCount: 189 },
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 180 }],
    },
    ...{ modelVersion: "bench", responseId: "bench000000000000000" },
  },
  "\r\n\r\n",
);

const formats: Readonly<Record<string, Format>> = {
  chat: { protocol: openaiChat, first: "", chunk: chatChunk({ content: words }) },
  responses: { protocol: openaiResponses, first: "", chunk: textDelta },
  messages: {
    protocol: anthropicMessages,
    first: named({ type: "message_start", ...{ message: { usage: {} } } }),
    chunk: blockDelta,
  },
  gemini: { protocol: gemini, first: "", chunk: geminiChunk },
};

let bytesTaken = 0;
const exchange = {
  headers: {},
  isReceived: true,
  listener: undefined,
  writeHead() {},
  write(bytes: Buffer) {
    bytesTaken += bytes.length;
    return true;
  },
} as unknown as Exchange;
const controller = { abort() {}, pause() {}, resume() {} };
const context = {
  interruption: { isInterrupted: false },
  disconnects: createDisconnectPolicy(),
  clock: { wallMs: () => 0, elapsedMs: () => performance.now() },
  ticker: { add() {}, delete() {} } as unknown as Ticker,
  settings: { stalledReaderMs: 1_000, keepAliveCommentMs: 15_000 },
} as unknown as AttemptContext;

function open({ protocol, first, chunk }: Format): StreamAttempt[] {
  const readers = createSseReaderFactory({ marks: protocol.streamMarks, eventBytesMax: 8 * 1024 * 1024 });
  return Array.from({ length: streamsOpen }, () => {
    const reply = new Reply(exchange, "req_bench");
    reply.speak(protocol);
    const attempt = new StreamAttempt(
      context,
      {
        provider: { fault: (status) => ({ kind: "server", status }) },
        ...{ protocol, reply, timeouts: defaultTimeouts, beginMs: 1_000, deadlineMs: Number.MAX_VALUE },
        ...{ bodyBytes: 500, showsUsage: true, onDisconnect: "stop", caller: { ended: undefined } },
        ...{ tokensMax: Number.MAX_VALUE, answerBytesMax: 0 },
      },
      readers,
    );
    attempt.onRequestStart(controller);
    attempt.onResponseStart(controller, 200, { "content-type": "text/event-stream" });
    attempt.onResponseData(controller, Buffer.from(first + chunk));
    return attempt;
  });
}

/** Microseconds of the main thread for each chunk. */
function turn(streams: readonly StreamAttempt[], chunks: readonly Buffer[]): number {
  const bytesBefore = bytesTaken;
  const before = process.threadCpuUsage();
  for (let count = 0; count < chunksPerTurn; count += 1) {
    // 619 steps on, so that no stream's objects are where the processor looks next.
    const stream = streams[(count * 619) % streams.length] as StreamAttempt;
    stream.onResponseData(controller, chunks[count % chunkCopies] as Buffer);
  }
  const { user, system } = process.threadCpuUsage(before);
  const [chunk] = chunks;
  if (bytesTaken - bytesBefore !== chunksPerTurn * (chunk?.length ?? 0)) throw new Error("bytes are missing");
  return (user + system) / chunksPerTurn;
}

const sides = Object.entries(formats).map(([name, format]) => ({
  name,
  streams: open(format),
  chunks: Array.from({ length: chunkCopies }, () => Buffer.from(Buffer.from(format.chunk))),
  costs: [] as number[],
}));
for (let count = -warmUps; count < Number(options.turns); count += 1) {
  for (const side of count % 2 === 0 ? sides : sides.toReversed()) {
    const cost = turn(side.streams, side.chunks);
    if (count >= 0) side.costs.push(cost);
  }
}
const chatCost = median(sides[0]?.costs ?? []);
const whole = options.whole === undefined ? undefined : Number(options.whole);
for (const { name, costs, chunks } of sides) {
  const cost = median(costs);
  const share = whole === undefined ? "" : `, whole ${(((cost - chatCost) / whole) * 100).toFixed(1)} %`;
  console.log(
    `${name}: ${cost.toFixed(3)} µs for ${chunks[0]?.length} bytes, chat ${(cost - chatCost).toFixed(3)} µs${share}`,
  );
}

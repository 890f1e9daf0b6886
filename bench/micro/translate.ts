/**
 * The cost of translation compared with passing bytes through: CPU per stream chunk, and encoding of
 * conversations of 100 KB and 1 MB, for every translated provider; in microseconds and milliseconds (best of
 * many rounds). Run: node bench/micro/translate.ts
 */

import { chatCodecOf, requestOf, upstreamOf } from "../../server/src/gateway/dispatch/testing/fixture-rig.ts";
import { createSseReaderFactory } from "../../server/src/lib/sse/sse.ts";
import { openaiChat } from "../../server/src/protocols/openai-chat/answers/answers.ts";
import type { StreamTranslator } from "../../server/src/protocols/protocol.ts";
import { findProvider, loadProviders } from "../../server/src/providers/index.ts";
import type { HttpProvider } from "../../server/src/providers/provider.ts";
import { type TestedProvider, testedProviders, testingOf } from "../../server/src/providers/testing/all.ts";
import { microsPerCall } from "./time.ts";

const readers = createSseReaderFactory({ marks: openaiChat.streamMarks, eventBytesMax: 8 << 20 });
const chunksPerStream = 500;

/** About four tokens. */
const words = " The quick brown fox";
const json = (value: unknown): string => JSON.stringify(value);

/** The relay's work for each chunk of any source. */
function relay(reader: ReturnType<typeof readers.create>, chunk: Buffer): number {
  reader.push(chunk);
  let sum = 0;
  for (let index = 0; index < reader.count; index += 1) sum += reader.flags(index);
  return sum;
}

const copies = (chunk: Buffer): Buffer[] =>
  Array.from({ length: 64 }, () => Buffer.from(new Uint8Array(chunk).buffer));

/** Microseconds per chunk of a text stream, through the translator, if any, and the relay's reader. */
function microsPerChunk({ id, wire, measured }: TestedProvider): number {
  const codec = chatCodecOf(findProvider(id) as HttpProvider);
  const request = requestOf({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });
  const chunks = copies(measured.event(words));
  const { begin } = wire.stream("");
  let translator: StreamTranslator | undefined;
  let reader = readers.create();
  let next = chunksPerStream;
  return microsPerCall(() => {
    if (next === chunksPerStream) {
      next = 0;
      reader = readers.create();
      const context = { id: "chatcmpl-1", createdSeconds: 1, model: measured.model, request };
      translator = codec.translation?.stream(context);
      if (translator !== undefined) relay(reader, translator.push(begin));
    }
    next += 1;
    const bytes = chunks[next % chunks.length] as Buffer;
    return relay(reader, translator === undefined ? bytes : translator.push(bytes));
  });
}

const text = 'The quick brown fox jumps over the lazy dog, says «Hello, wörld» "twice",\nand goes home. ';
const tools = Array.from({ length: 10 }, (_, index) => ({
  type: "function",
  function: {
    name: `tool_${index}`,
    description: text,
    parameters: {
      type: "object",
      properties: { city: { type: "string", description: text }, n: { type: "integer" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
}));

/** A conversation with tools and a body of about this many bytes. */
function conversation(bytes: number): object {
  const messages: object[] = [{ role: "system", content: text.repeat(10) }];
  for (let turn = 0, size = 0; size < bytes - 6_000; turn += 1) {
    const added = [
      { role: "user", content: text.repeat(8) },
      {
        role: "assistant",
        content: text,
        tool_calls: [
          {
            id: `call_${turn}`,
            type: "function",
            function: { name: "tool_1", arguments: json({ city: text, n: turn }) },
          },
        ],
      },
      { role: "tool", tool_call_id: `call_${turn}`, content: text.repeat(6) },
      { role: "assistant", content: text.repeat(8) },
    ];
    messages.push(...added);
    size += json(added).length;
  }
  messages.push({ role: "user", content: "And now?" });
  return { model: "m", temperature: 1, messages, tools };
}

/** Milliseconds to encode a body, including parsing: each call gets a new buffer. */
function encodeMs({ id, wire, measured }: TestedProvider, body: object): number {
  const provider = findProvider(id) as HttpProvider;
  const upstream = upstreamOf(provider, { baseUrl: `https://upstream.test${wire.basePath}` });
  const codec = chatCodecOf(provider);
  const request = requestOf(body, { outputTokensMax: 4_096 });
  const run = (): unknown =>
    codec.encode({ ...request, body: Buffer.from(request.body) }, upstream, "secret", measured.model);
  return microsPerCall(run, 60, 5) / 1_000;
}

await loadProviders(testedProviders.map(({ id }) => id));
const passing = testingOf("openai");
const plain = microsPerChunk(passing);
console.log(
  `one event of text per chunk, read by the relay                ${plain.toFixed(2).padStart(8)} µs`,
);
for (const provider of testedProviders.filter((one) => one !== passing)) {
  const micros = microsPerChunk(provider);
  const over = `+${(micros - plain).toFixed(2)}`;
  console.log(
    `${`the same from ${provider.id}, translated (wanted ≤ +15)`.padEnd(60)} ${micros.toFixed(2).padStart(9)} µs ${over.padStart(8)}`,
  );
}
for (const bytes of [100_000, 1_000_000]) {
  const body = conversation(bytes);
  const size = Buffer.byteLength(json(body));
  for (const provider of testedProviders) {
    if (provider.descriptor.lacks?.includes("tools")) continue;
    const wanted = bytes === 100_000 ? " (wanted ≤ 1.5)" : "";
    console.log(
      `${`encode ${Math.round(size / 1_000)} KB for ${provider.id}${wanted}`.padEnd(60)} ${encodeMs(provider, body).toFixed(3).padStart(9)} ms`,
    );
  }
}

/** Signing is asynchronous: the mean of many, one after the other, in milliseconds. */
async function signMs({ id, wire, measured }: TestedProvider, body: object): Promise<number> {
  const provider = findProvider(id) as HttpProvider;
  const baseUrl = `https://upstream.test${wire.basePath}`;
  const upstream = upstreamOf(provider, { baseUrl, options: wire.options ?? {} });
  const call = chatCodecOf(provider).encode(requestOf(body), upstream, wire.credential, measured.model);
  const rounds = 300;
  for (let round = 0; round < rounds; round += 1)
    await provider.sign?.(call, upstream, wire.credential, 1_760_000_000_000);
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round += 1)
    await provider.sign?.(call, upstream, wire.credential, 1_760_000_000_000);
  return (performance.now() - startedMs) / rounds;
}
for (const provider of testedProviders) {
  if ((findProvider(provider.id) as HttpProvider).sign === undefined) continue;
  const ms = await signMs(provider, conversation(100_000));
  console.log(`${`sign 100 KB for ${provider.id} (mean)`.padEnd(60)} ${ms.toFixed(3).padStart(9)} ms`);
}

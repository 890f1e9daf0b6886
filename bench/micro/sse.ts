/**
 * The cost of parsing a stream beside the relay, in microseconds (best of many rounds). Run: node
 * bench/micro/sse.ts
 */
import { createSseReaderFactory } from "../../server/src/lib/sse/sse.ts";
import { microsPerCall } from "./time.ts";

const createReader = createSseReaderFactory({
  marks: ["usage", "finish_reason", "error"],
  eventBytesMax: 8 << 20,
});

function eventOf(bytes: number, lineEnd = "\n"): Buffer {
  const chunk = (content: string): string => {
    const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
    const head = {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1_760_000_000,
      model: "gpt-5-mini",
    };
    return `data: ${JSON.stringify({ ...head, choices, usage: null })}${lineEnd}${lineEnd}`;
  };
  const text = "The quick brown fox jumps over the lazy dog, and then said: ";
  return Buffer.from(
    chunk(text.repeat(Math.ceil(bytes / 50)).slice(0, Math.max(2, bytes - chunk("").length))),
  );
}

/** Pushes one chunk and reads what a relay reads; returns the sum of all flags and ends. */
function relay(reader: ReturnType<typeof createReader.create>, chunk: Buffer): number {
  reader.push(chunk);
  let sum = 0;
  for (let i = 0; i < reader.count; i++) sum += reader.flags(i) + reader.eventEnd(i);
  return sum;
}

function report(name: string, chunks: readonly Buffer[], per: number, unit: string): void {
  const reader = createReader.create();
  let next = 0;
  const micros = microsPerCall(() => {
    const chunk = chunks[next] as Buffer;
    next = next + 1 === chunks.length ? 0 : next + 1;
    return relay(reader, chunk);
  });
  console.log(`${name.padEnd(44)} ${(micros / per).toFixed(3).padStart(9)} µs per ${unit}`);
}

/** Every chunk in separate memory, as sockets deliver. */
const copies = (chunk: Buffer): Buffer[] =>
  Array.from({ length: 64 }, () => Buffer.from(new Uint8Array(chunk).buffer));

const small = eventOf(243);
report(`one ${small.length}-byte event per chunk`, copies(small), 1, "chunk");
report("the same with CRLF", copies(eventOf(243, "\r\n")), 1, "chunk");

const perChunk = Math.floor(65_536 / small.length);
const coalesced = Buffer.concat(Array.from({ length: perChunk }, () => small));
report(`64 KB chunks of whole ${small.length}-byte events`, [coalesced], perChunk, "event");

const many = Buffer.concat(Array.from({ length: 1_000 }, () => small));
const cut: Buffer[] = [];
for (let at = 0; at < many.length; at += 65_000) cut.push(many.subarray(at, at + 65_000));
report("64 KB chunks that cut events", cut, 1_000 / cut.length, "event");
report("events cut in two", [small.subarray(0, 100), small.subarray(100)], 0.5, "event");

const big = eventOf(64_000);
report(`one ${big.length}-byte event per chunk`, copies(big), 1, "chunk");
report("comment keep-alives", copies(Buffer.from(": keep-alive\n\n")), 1, "chunk");

const piece = Buffer.alloc(16_384, "a");
const refusal = microsPerCall(() => {
  const reader = createReader.create();
  while (reader.push(piece));
  return reader;
}, 30);
console.log(`an endless line in 16 KB chunks, refused at 8 MiB ${(refusal / 1000).toFixed(2)} ms`);
const created = microsPerCall(() => createReader.create());
console.log(`create ${created.toFixed(3)} µs`);

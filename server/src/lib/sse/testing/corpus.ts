/**
 * Event streams for testing readers: the shapes chat servers send, many scripts, every line end, cut at
 * random. Used by `sse.test.ts` and the rigs. Independent of the reader; `naiveEvents` is a second, simple
 * implementation.
 */
import {
  createSseReaderFactory,
  flagComment,
  flagMultiData,
  flagNamed,
  flagUnterminated,
  type SseReader,
} from "../sse.ts";

/** A stream's bytes, with a name for messages. */
export interface SseStream {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * What a reader must report about an event, wherever the bytes are cut. Data and name are undefined when
 * absent.
 */
export interface SeenEvent {
  readonly data: string | undefined;
  readonly eventName: string | undefined;
  readonly flags: number;
}

export const corpusMarks = ["usage", "finish_reason", "error"] as const;

/** A seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const texts = {
  english: [
    "",
    "Hello",
    ", wor",
    "ld.",
    ' He said "usage": 5.',
    "\n\n",
    '{"error": true}',
    "data: x\n\nevent: y",
    "\\",
  ],
  chinese: ["你", "好，世界。", "这是一个", "很长的回答", "「引用」", "𠮷野家", "\u2028行\u0085分隔"],
  emoji: ["👩‍👩‍👧‍👦", "🏳️‍🌈 ok", "🎉🎉🎉", "e\u0301", "\u{10ffff}", "\ufeff"],
} as const;

type Json = Readonly<Record<string, unknown>>;

const usage = {
  prompt_tokens: 9,
  completion_tokens: 12,
  total_tokens: 21,
  prompt_tokens_details: { cached_tokens: 0 },
};
const chunkOf = (delta: Json, finishReason: string | null, extra: Json = {}): Json => {
  const head = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_760_000_000,
    model: "gpt-5-mini",
  };
  return { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], ...extra };
};

function answer(pieces: readonly string[], extra: Json = {}): Json[] {
  const deltas = pieces.map((content) => chunkOf({ content }, null, extra));
  return [chunkOf({ role: "assistant", content: "" }, null, extra), ...deltas, chunkOf({}, "stop", extra)];
}

function toolCalls(): Json[] {
  const call = (fields: Json): Json => chunkOf({ tool_calls: [{ index: 0, ...fields }] }, null);
  const parts = ['{"us', 'age":', '"é', '","error":', '{"finish_reason":1}}'];
  return [
    call({ id: "call_1", type: "function", function: { name: "f", arguments: "" } }),
    ...parts.map((part) => call({ function: { arguments: part } })),
    chunkOf({}, "tool_calls"),
  ];
}

/** JSON as Python's `json.dumps` prints it: with spaces after separators. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(", ")}}`;
}

const stream = (name: string, lines: readonly string[]): SseStream => ({
  name,
  bytes: Buffer.from(lines.join("")),
});

function framed(
  chunks: readonly Json[],
  lineEnd: string,
  print: (value: Json) => string = JSON.stringify,
): string[] {
  return [...chunks.map(print), "[DONE]"].map((data) => `data: ${data}${lineEnd}${lineEnd}`);
}

/** Streams as chat servers send them, and the format's special cases. */
export function sseStreams(): SseStream[] {
  const withUsage = [
    ...answer([...texts.english, ...texts.chinese], { usage: null }),
    { ...chunkOf({}, null), choices: [], usage },
  ];
  const all = [...texts.english, ...texts.chinese, ...texts.emoji];
  return [
    stream("plain", framed(answer(texts.english), "\n")),
    stream("usage at the end", framed(withUsage, "\n")),
    stream("chinese, CRLF", framed(answer(texts.chinese), "\r\n")),
    stream("emoji, CR", framed(answer(texts.emoji), "\r")),
    stream("printed by Python", framed(withUsage, "\r\n", spaced)),
    stream("tool calls", framed(toolCalls(), "\n")),
    stream("in-band error", [
      ...framed(answer(["Hi"]), "\n").slice(0, 2),
      'data: {"error" :\t{"message":"x"}}\n\n',
    ]),
    stream("keep-alives", [
      ": OPENROUTER PROCESSING\n\n",
      ":\n\n",
      ...framed(answer(all), "\n"),
      "\n\n: bye\n\n",
    ]),
    stream("unfinished", ['data: {"a":1}\n\ndata: {"error":1}']),
    stream("unfinished CRLF", ["data: 1\r\n\r\ndata: 2\r\n\r"]),
    stream("unfinished without data", ["data: 1\n\n: half a comm"]),
    stream("byte order mark", ["\ufeffdata: a\n\n\ufeffdata: not data\n\n", "data: \ufeff\n\n"]),
    { name: "half a byte order mark", bytes: Buffer.from([0xef, 0xbb]) },
    stream("fields", [
      "event: message\nid: 7\nretry: 10\ndata: a\n\n",
      "event:b\nevent\ndata\n\n",
      "data:  two\n\n",
    ]),
    stream("not fields", ["datax: 1\ndat\nDATA: 1\n data: 1\nevent : x\n\n", "data : 1\n\n", "data:\n\n"]),
    stream("several data lines", [
      'data: {"usage"\ndata: :\n: x\r\ndata:  1}\n\n',
      "data\ndata\r\rdata:é\rdata:\n\n",
    ]),
    stream("mixed line ends", [
      "data: a\r\n\rdata: b\n\r\n",
      "data: c\r\r\ndata: d\r\r",
      "\n\r\r\n\ndata: e\n\r",
      "\n",
    ]),
    stream("empty", []),
    stream("blank lines", ["\n\r\r\n\n\n"]),
    stream("long lines", longLines()),
  ];
}

/** Lines too long for the byte loop, with every line end. */
function longLines(): string[] {
  const ends = ["\r", "\n", "\r\n", "\n\n", "\r\r", "\r\n\r\n"];
  const starts = ["data: ", ": ", "id: "];
  return Array.from({ length: 18 }, (_, i) => {
    const text = (i % 2 === 0 ? "长" : "x").repeat(100 + ((i * 331) % 900));
    return `${starts[i % starts.length]}${text}${ends[(i * 5) % ends.length]}`;
  });
}

/**
 * True when the JSON text contains `key`, without escapes, with a value that is neither null nor an empty
 * string. Uses a regular expression.
 */
function holdsKey(data: string, key: string): boolean {
  return new RegExp(`(?<!\\\\)"${key}"[ \\t\\r\\n]*:[ \\t\\r\\n]*(?!"")[^n \\t\\r\\n]`).test(data);
}

/** The simple implementation: decodes everything and splits it into lines. */
export function naiveEvents(bytes: Buffer, marks: readonly string[] = corpusMarks): SeenEvent[] {
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  const lines = text.split(/\r\n|\n|\r/);
  const isEnded = lines.at(-1) === "";
  if (isEnded) lines.pop();
  const events: SeenEvent[] = [];
  let event: string[] = [];
  const finish = (isTerminated: boolean): void => {
    const seen = naiveEvent(event, marks);
    if (isTerminated) events.push(seen);
    else if (seen.data !== undefined) events.push({ ...seen, flags: seen.flags | flagUnterminated });
    event = [];
  };
  for (const line of lines) {
    if (line !== "") event.push(line);
    else if (event.length > 0) finish(true);
  }
  if (event.length > 0) finish(false);
  return events;
}

function naiveEvent(lines: readonly string[], marks: readonly string[]): SeenEvent {
  const values = (name: string): string[] =>
    lines
      .filter((line) => line === name || line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length).replace(/^: ?/, ""));
  const data = values("data");
  if (data.length === 0) return { data: undefined, eventName: undefined, flags: flagComment };
  const names = values("event");
  const joined = data.join("\n");
  let flags = (data.length > 1 ? flagMultiData : 0) | (names.length > 0 ? flagNamed : 0);
  marks.forEach((mark, index) => {
    if (holdsKey(joined, mark)) flags |= 1 << index;
  });
  return { data: joined, eventName: names.at(-1), flags };
}

/** A reader's report of a whole body: its events, and the bytes of each (latin1). */
export interface SseReading {
  readonly events: SeenEvent[];
  readonly slices: string[];
}

/** Reads a body that arrives in these chunks. Throws when the reader's results are inconsistent. */
export function readEvents(reader: SseReader, chunks: readonly Buffer[]): SseReading {
  const reading: SseReading = { events: [], slices: [] };
  for (const chunk of chunks) {
    if (!reader.push(chunk)) throw new Error("refused");
    takeEvents(reader, reading);
  }
  reader.end();
  takeEvents(reader, reading);
  return reading;
}

function takeEvents(reader: SseReader, reading: SseReading): void {
  const { buffer, count } = reader;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const slice = buffer.subarray(reader.eventStart(i), reader.eventEnd(i));
    if (reader.eventStart(i) < last || reader.eventEnd(i) > buffer.length) throw new Error("events overlap");
    last = reader.eventEnd(i);
    const flags = reader.flags(i);
    const data = (flags & flagComment) !== 0 ? undefined : reader.dataText(i);
    const event = { data, eventName: reader.eventName(i), flags };
    if (
      reader.dataStart(i) >= 0 &&
      buffer.toString("utf8", reader.dataStart(i), reader.dataEnd(i)) !== data
    ) {
      throw new Error(`payload offsets of ${data}`);
    }
    // The line feed prevents a byte order mark at the start, where it would be skipped.
    const again = naiveEvents(Buffer.concat([Buffer.from("\n"), slice]));
    const expected = [{ ...event, flags: flags & ~flagUnterminated }];
    if (JSON.stringify(again) !== JSON.stringify(expected)) throw new Error(`not one whole event: ${slice}`);
    reading.events.push(event);
    reading.slices.push(slice.toString("latin1"));
  }
}

/** Random cuts: few, many, or runs of single bytes, so that every kind of border occurs. */
export function recut(bytes: Buffer, random: () => number): Buffer[] {
  const chunks: Buffer[] = [];
  const sizeMax = 1 + Math.floor(random() ** 3 * (bytes.length + 1));
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + 1 + Math.floor(random() * sizeMax));
    chunks.push(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  return chunks;
}

/** The result of many re-cuts. `failures` name the stream and the number of the re-cut (at most ten). */
export interface RecutReport {
  readonly recuts: number;
  readonly events: number;
  /** Number of U+FFFD in data; the corpus contains none. */
  readonly replacements: number;
  readonly failures: readonly string[];
}

/**
 * Promise P10: re-cuts the corpus `recuts` times. Each reading must have the simple implementation's events
 * and the same bytes as the uncut reading.
 */
export function runRecuts(recuts: number, seed: number): RecutReport {
  const random = seededRandom(seed);
  const factory = createSseReaderFactory({ marks: corpusMarks, eventBytesMax: 1 << 20 });
  const streams = sseStreams().map(({ name, bytes }) => {
    const { slices } = readEvents(factory.create(), [bytes]);
    return { name, bytes, expected: JSON.stringify({ events: naiveEvents(bytes), slices }) };
  });
  const failures: string[] = [];
  let events = 0;
  let replacements = 0;
  for (let run = 0; run < recuts; run++) {
    const { name, bytes, expected } = streams[run % streams.length] as (typeof streams)[number];
    let shown: string;
    try {
      const reading = readEvents(factory.create(), recut(bytes, random));
      events += reading.events.length;
      replacements += reading.events.filter((event) => event.data?.includes("\ufffd")).length;
      shown = JSON.stringify(reading);
    } catch (error) {
      shown = String(error);
    }
    if (shown === expected || failures.length === 10) continue;
    failures.push(`${name}, re-cut ${run}, seed ${seed}: ${shown}`);
  }
  return { recuts, events, replacements, failures };
}

/** What an upstream said in a translated answer is counted, whether or not the caller's writer shows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerSink, StreamSink } from "../conversation/answer.ts";
import type { Delivered } from "../domain/money/estimate.ts";
import type { AnswerDecoder, DecodeContext } from "./protocol.ts";
import { translateStream, translateWhole } from "./translate-stream.ts";

/** Takes everything and writes nothing, but notes what it was called. */
function silentWriter() {
  const calls: string[] = [];
  const sink = new Proxy({} as StreamSink & { take(): Buffer }, {
    get:
      (_target, name) =>
      (...given: unknown[]) => {
        if (name === "take") return Buffer.alloc(0);
        calls.push([String(name), ...given.map((one) => JSON.stringify(one))].join(" "));
        return undefined;
      },
  });
  return { sink, calls };
}

/** Says each of these when the next piece of the body comes. */
const decoderOf = (...steps: readonly ((sink: StreamSink) => void)[]): AnswerDecoder => ({
  streamType: "text/event-stream",
  stream: (_context, sink) => {
    const left = [...steps];
    return { push: () => left.shift()?.(sink), end: () => sink.close() };
  },
  whole: () => false,
});

const context = {} as DecodeContext;

test("words, calls and images count, each when it is said; what is no output does not", () => {
  const { sink, calls } = silentWriter();
  const decoder = decoderOf(
    (to) => to.reasoning("hidden", 1),
    (to) => to.text("abc"),
    (to) => to.toolCall(0, { id: "c", name: "fn" }),
    (to) => to.toolArguments(0, "x".repeat(65)),
    (to) => to.refusal("no"),
    (to) => to.customCall(1, { id: "d", name: "g", input: "hi" }),
    (to) => to.image("image/png", "AAAA"),
    (to) => {
      to.opaqueReasoning({ format: "v", data: "x".repeat(100) });
      to.begin(0);
      to.model("m");
      to.finish("stop");
      to.conclude();
    },
  );
  const translator = translateStream(decoder, context, sink);
  const counts = Array.from({ length: 8 }, () => {
    translator.push(Buffer.alloc(0));
    const { events, contentBytes, mergedBytes, images } = translator.said ?? assert.fail();
    return [events, contentBytes, mergedBytes, images];
  });
  translator.end();
  assert.deepEqual(counts, [
    [1, 6, 0, 0],
    [2, 9, 0, 0],
    [3, 11, 0, 0],
    [3, 11, 65, 0],
    [4, 13, 65, 0],
    [6, 16, 65, 0],
    [6, 16, 65, 1],
    [6, 16, 65, 1],
  ]);
  assert.deepEqual(
    [calls[0], calls.at(-1), calls.length],
    ['reasoning "hidden" 1', "close", 13],
    "all of it is passed on",
  );
});

test("an image written into a text is one, no words", () => {
  const { sink } = silentWriter();
  const decoder = decoderOf((to) => to.text(`![it](data:image/png;base64,${"A".repeat(9_000)})`));
  const translator = translateStream(decoder, context, sink);
  translator.push(Buffer.alloc(0));
  assert.deepEqual(translator.said, { events: 1, contentBytes: 7, mergedBytes: 0, images: 1 });
});

test("a whole answer counts by its length, once it is one", () => {
  const { sink } = silentWriter();
  const ends: [isAnswer: boolean, built: Buffer | undefined][] = [
    [true, Buffer.from("{}")],
    [true, undefined],
    [false, Buffer.from("{}")],
  ];
  const counted = ends.map(([isAnswer, built]) => {
    const decoder: AnswerDecoder = {
      ...decoderOf(),
      whole(_body, _context, to: AnswerSink) {
        to.reasoning("x".repeat(100));
        to.text("abc");
        to.image("image/png", "AAAA");
        return isAnswer;
      },
    };
    const writer = Object.assign(Object.create(sink), { build: () => built });
    const said: Delivered[] = [];
    const body = translateWhole(decoder, Buffer.alloc(0), { context, writer }, (all) => said.push(all));
    return { body: body?.toString(), said };
  });
  const all = { events: 0, contentBytes: 103, mergedBytes: 0, images: 1 };
  assert.deepEqual(counted, [
    { body: "{}", said: [all] },
    { body: undefined, said: [] },
    { body: undefined, said: [] },
  ]);
});

test("what the upstream told of its usage is asked of its decoder", () => {
  const { sink } = silentWriter();
  const usage = { input: 1, cachedInput: 2, cacheWrite: 0, output: 0, reasoning: 0 };
  const decoder: AnswerDecoder = {
    ...decoderOf(),
    stream: () => ({ push() {}, end() {}, earlyUsage: { usage, isPromptAlone: true } }),
  };
  assert.deepEqual(translateStream(decoder, context, sink).earlyUsage, { usage, isPromptAlone: true });
});

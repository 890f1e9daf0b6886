/** For tests: answers of Messages, Gemini and Converse, as upstreams write them (docs/wire/). */
import {
  delta,
  ending,
  input,
  metadata,
  start,
  stop,
  tool,
} from "../../../../providers/bedrock/fixtures/build.ts";
import { json, namedSse, sse } from "../../../../providers/testing/wire.ts";
import { type Answer, type ByEnd, endOf, thirds, tokens } from "./talk.ts";

const total = tokens.input + tokens.output;

/* Messages. */

const messagesEnds: ByEnd<string> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "refusal",
  refusal: "refusal",
};

const blocksOf = ({ thoughts, opaque = "", text, calls = [] }: Answer): Record<string, unknown>[] => [
  ...(thoughts === undefined ? [] : [{ type: "thinking", thinking: thoughts, signature: opaque }]),
  ...(text === undefined ? [] : [{ type: "text", text }]),
  ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
];

const messageOf = (content: readonly object[], reason: string | null, output: number): object => ({
  id: "msg_up",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: tokens.input, output_tokens: output },
});

export const messagesWhole = (answer: Answer): Buffer =>
  Buffer.from(json(messageOf(blocksOf(answer), messagesEnds[endOf(answer)], tokens.output)));

export function messagesStream(answer: Answer): Buffer[] {
  const deltasIn = (block: Record<string, unknown>): object[] => {
    if (block["type"] === "tool_use")
      return thirds(json(block["input"])).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    if (block["type"] === "text")
      return thirds(String(block["text"])).map((text) => ({ type: "text_delta", text }));
    return [
      ...thirds(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block["signature"] },
    ];
  };
  const emptied: Readonly<Record<string, object>> = {
    tool_use: { input: {} },
    text: { text: "" },
    thinking: { thinking: "", signature: "" },
  };
  const blocks = blocksOf(answer).flatMap((block, index) => [
    {
      type: "content_block_start",
      index,
      content_block: { ...block, ...emptied[String(block["type"])] },
    },
    ...deltasIn(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: messageOf([], null, 1) },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason: messagesEnds[endOf(answer)], stop_sequence: null },
      usage: { output_tokens: tokens.output },
    },
    { type: "message_stop" },
  ].map((one) => namedSse(one));
}

/* Gemini. */

const geminiEnds: ByEnd<string> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
  refusal: "PROHIBITED_CONTENT",
};
const geminiUsage = {
  promptTokenCount: tokens.input,
  candidatesTokenCount: tokens.output,
  totalTokenCount: total,
};

function geminiParts(
  { thoughts, opaque, text, calls = [] }: Answer,
  split: (text: string) => string[],
): object[] {
  const signed = opaque === undefined ? {} : { thoughtSignature: opaque };
  return [
    ...(thoughts === undefined ? [] : split(thoughts).map((piece) => ({ text: piece, thought: true }))),
    ...(text === undefined ? [] : split(text).map((piece) => ({ text: piece }))),
    ...calls.map(({ id, name, args }, index) => ({
      functionCall: { id, name, args },
      ...(index === 0 ? signed : {}),
    })),
  ];
}

const candidateOf = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  modelVersion: "m",
  responseId: "r_up",
});

const geminiEnd = (answer: Answer, parts: readonly object[]): object => ({
  ...candidateOf(parts, { finishReason: geminiEnds[endOf(answer)] }),
  usageMetadata: geminiUsage,
});

export const geminiStream = (answer: Answer): Buffer[] => [
  ...geminiParts(answer, thirds).map((part) => sse(candidateOf([part]))),
  sse(geminiEnd(answer, [{ text: "" }])),
];

export const geminiWhole = (answer: Answer): Buffer =>
  Buffer.from(
    json(
      geminiEnd(
        answer,
        geminiParts(answer, (text) => [text]),
      ),
    ),
  );

/* Converse. */

const converseEnds: ByEnd<string> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "guardrail_intervened",
  refusal: "content_filtered",
};

export function converseStream(answer: Answer): Buffer[] {
  const { thoughts, opaque = "", text, calls = [] } = answer;
  let place = 0;
  const block = (...pieces: readonly object[]): Buffer[] => {
    const at = place++;
    return [...pieces.map((piece) => delta(at, { ...piece })), stop(at)];
  };
  const thought =
    thoughts === undefined
      ? []
      : block(...thirds(thoughts).map((piece) => ({ reasoningContent: { text: piece } })), {
          reasoningContent: { signature: opaque },
        });
  const words = text === undefined ? [] : block(...thirds(text).map((piece) => ({ text: piece })));
  const called = calls.flatMap(({ id, name, args }) => {
    const at = place++;
    return [tool(at, id, name), ...thirds(json(args)).map((piece) => input(at, piece)), stop(at)];
  });
  return [start, ...thought, ...words, ...called, ending(converseEnds[endOf(answer)]), metadata()];
}

export function converseWhole(answer: Answer): Buffer {
  const { thoughts, opaque = "", text, calls = [] } = answer;
  const reasoning = { reasoningContent: { reasoningText: { text: thoughts, signature: opaque } } };
  const content = [
    ...(thoughts === undefined ? [] : [reasoning]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
  ];
  return Buffer.from(
    json({
      output: { message: { role: "assistant", content } },
      stopReason: converseEnds[endOf(answer)],
      usage: { inputTokens: tokens.input, outputTokens: tokens.output, totalTokens: total },
      metrics: { latencyMs: 1 },
    }),
  );
}

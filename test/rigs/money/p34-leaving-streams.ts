/**
 * The upstream of P34's callers that leave: streams of every shape in each format, which stop before their
 * end. It counts the tokens it wrote. Shares no code with the product.
 */
import type { ServerResponse } from "node:http";
import { contentWith, usageMetadata } from "../../wire/gemini.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  inputUsage,
  messageDelta,
  messageStart,
  messageStop,
  messageWith,
  outputUsage,
} from "../../wire/messages.ts";
import {
  callItem,
  callItemEvents,
  type ItemEvents,
  numbered,
  reasoningItemEvents,
  responseBegun,
  responseCompleted,
  responseUsage,
  responseWith,
  textItem,
  textItemEvents,
} from "../../wire/responses.ts";
import type { Fields, Tokens } from "../../wire/tokens.ts";
import type { EndpointName } from "../harness/endpoints.ts";
import { monotonicMs, pause } from "../harness/measure/clock.ts";
import type { GreedyCall } from "./p34-greedy.ts";

const words = ["The", " quick", " brown", " fox", " jumps", "\n", " over", ' "5"', " lazy", " dog"];
const word = (index: number): string => words[index % words.length] as string;
/** A long text of a prompt or of an answer. */
export const prose = "words and ".repeat(4_000);

type Kind = "text" | "thought" | "argument";

/** What one event tells, and its number of tokens. */
interface Piece {
  readonly kind: Kind;
  readonly text: string;
  readonly tokens: number;
}

interface Shape {
  readonly pieces: readonly Piece[];
  /** Milliseconds of silent reasoning before the first piece. */
  readonly thinkMs?: number;
}

const one = (kind: Kind, text: string, tokens = 1): Piece => ({ kind, text, tokens });
const many = (kind: Kind, count: number): Piece[] =>
  Array.from({ length: count }, (_, index) => one(kind, word(index)));
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
/** The arguments of a call: a JSON object with one text. */
const atOnce = one("argument", `{"a":"${prose}"}`, prose.length / 4);
const inPieces = [
  one("argument", '{"a":"'),
  ...many("argument", 500).map((piece) => ({ ...piece, text: quoted(piece.text) })),
  one("argument", '"}'),
];

const shapes = {
  plain: { pieces: many("text", 2_000) },
  arguments: { pieces: inPieces },
  "arguments at once": { pieces: [atOnce] },
  "arguments at once after text": { pieces: [...many("text", 100), atOnce] },
  thoughts: { pieces: many("thought", 400) },
  merged: { pieces: Array.from({ length: 20 }, () => one("text", prose.slice(0, 400), 100)) },
  thinking: { pieces: many("text", 50), thinkMs: 1_000 },
} satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof shapes;

/** The shapes that need no time. */
export const quickShapes = Object.keys(shapes).filter((name) => name !== "thinking") as ShapeName[];

/** Reasoning tokens per millisecond. */
const thinkingSpeed = 5;

/** The word after which a stream says nothing more. */
export const lastWord = "herehere";

/** Which stream is wanted; it comes with the words of the user. */
export interface StreamRequest {
  readonly id: string;
  readonly shape: ShapeName;
  readonly isWhole: boolean;
  /** Gemini: does each object report the tokens so far? */
  readonly isReporting: boolean;
  /** Tokens of its prompt, for reports. */
  readonly promptTokens: number;
}

/** Text that tells the upstream which stream to write, whatever the format. */
export const told = (request: StreamRequest): string =>
  `x-leave:${Buffer.from(JSON.stringify(request)).toString("base64url")};`;

/** Output tokens of streams that were written up to where the caller leaves, by id of the request. */
export const written = new Map<string, number>();

/** One stream about to be written. */
interface Told {
  readonly shape: Shape;
  readonly isWhole: boolean;
  readonly isReporting: boolean;
  /** Tokens of silent reasoning. */
  readonly thought: number;
  readonly tokens: Tokens;
}

type Event = Fields | string;

/** The events of a stream: those before the silence, and those after it. */
interface Events {
  readonly first: readonly Event[];
  readonly rest: readonly Event[];
}

/** Neighbours of one kind. */
function grouped(pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last?.[0]?.kind === piece.kind) last.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

const textsOf = (pieces: readonly Piece[]): string[] => pieces.map(({ text }) => text);
const sumOf = (pieces: readonly Piece[]): number =>
  Math.round(pieces.reduce((sum, { tokens }) => sum + tokens, 0));

const chatDeltas: Readonly<Record<Kind, (text: string) => object>> = {
  text: (content) => ({ content }),
  thought: (text) => ({ reasoning_details: [{ type: "reasoning.text", text }] }),
  argument: (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
};
const chatCall = {
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }],
};

function inChat({ shape, isWhole, tokens }: Told): Events {
  const chunk = (choices: object[], more: object = {}): Fields => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices,
    ...more,
  });
  const said = (delta: object): Fields => chunk([{ index: 0, delta, finish_reason: "" }]);
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
  const end = [chunk([{ index: 0, delta: {}, finish_reason: "stop" }]), chunk([], { usage }), "[DONE]"];
  const deltas = grouped(shape.pieces).flatMap((group) => [
    ...(group[0]?.kind === "argument" ? [said(chatCall)] : []),
    ...group.map(({ kind, text }) => said(chatDeltas[kind](text))),
  ]);
  return {
    first: [said({ role: "assistant", content: "" })],
    rest: [...deltas, ...(isWhole ? end : [])],
  };
}

function responsesItem(kind: Kind, index: number, texts: readonly string[]): [Fields, ItemEvents] {
  const whole = texts.join("");
  switch (kind) {
    case "text": {
      const item = textItem(`msg_${index}`, whole);
      return [item, textItemEvents(index, item, texts)];
    }
    case "argument": {
      const item = callItem(`call_${index}`, "f", whole);
      return [item, callItemEvents(index, item, texts)];
    }
    default: {
      const summary = [{ type: "summary_text", text: whole }];
      const item = { id: `rs_${index}`, type: "reasoning", summary };
      return [item, reasoningItemEvents(index, item, () => texts)];
    }
  }
}

function inResponses({ shape, isWhole, tokens }: Told): Events {
  const groups = grouped(shape.pieces);
  const items = groups.map((group, index) => responsesItem(group[0]?.kind ?? "text", index, textsOf(group)));
  const output = items.map(([item]) => item);
  const whole = responseWith("resp_1", { model: "m", store: false }, output, responseUsage(tokens));
  const first = responseBegun(whole);
  const rest = items.flatMap(([, { begin, deltas, end }], index) => [
    ...begin,
    ...deltas,
    ...(isWhole || index < items.length - 1 ? end : []),
  ]);
  const all = [...first, ...rest, ...(isWhole ? [responseCompleted(whole)] : [])].map(numbered);
  return { first: all.slice(0, first.length), rest: all.slice(first.length) };
}

const blocks: Readonly<Record<Kind, Fields>> = {
  text: { type: "text", text: "" },
  thought: { type: "thinking", thinking: "", signature: "" },
  argument: { type: "tool_use", id: "toolu_1", name: "f", input: {} },
};
const blockDeltas: Readonly<Record<Kind, (text: string) => Fields>> = {
  text: (text) => ({ type: "text_delta", text }),
  thought: (thinking) => ({ type: "thinking_delta", thinking }),
  argument: (text) => ({ type: "input_json_delta", partial_json: text }),
};

function inMessages({ shape, isWhole, tokens }: Told): Events {
  const begun = messageWith({ id: "msg_1", model: "m" }, [], null);
  const groups = grouped(shape.pieces);
  const rest = groups.flatMap((group, index) => {
    const kind = group[0]?.kind ?? "text";
    return [
      blockStart(index, blocks[kind]),
      ...group.map(({ text }) => blockDelta(index, blockDeltas[kind](text))),
      ...(isWhole || index < groups.length - 1 ? [blockStop(index)] : []),
    ];
  });
  const end = [messageDelta("end_turn", outputUsage(tokens)), messageStop];
  return {
    first: [messageStart({ ...begun, usage: { ...inputUsage(tokens), output_tokens: 1 } })],
    rest: [...rest, ...(isWhole ? end : [])],
  };
}

/** Gemini's pieces: a call has all its arguments, so it is as many tokens as its text is long. */
const joined = (pieces: readonly Piece[]): Piece[] =>
  grouped(pieces).flatMap((group) => {
    if (group[0]?.kind !== "argument") return group;
    const text = textsOf(group).join("");
    return [one("argument", text, Buffer.byteLength(text) / 4)];
  });

const geminiParts: Readonly<Record<Kind, (text: string) => Fields>> = {
  text: (text) => ({ text }),
  thought: (text) => ({ text, thought: true }),
  argument: (text) => ({ functionCall: { id: "call_1", name: "f", args: JSON.parse(text) } }),
};

function inGemini({ shape, isWhole, isReporting, thought, tokens }: Told): Events {
  const pieces = joined(shape.pieces);
  let output = thought;
  const rest = pieces.map(({ kind, text, tokens: more }, index) => {
    output += more;
    const isLast = index === pieces.length - 1;
    const soFar = { ...tokens, output: Math.round(output) };
    return contentWith([geminiParts[kind](text)], {
      reason: isWhole && isLast ? "STOP" : undefined,
      usage: isReporting || (isWhole && isLast) ? usageMetadata(soFar) : undefined,
      version: "m",
      id: "response-1",
    });
  });
  return { first: [], rest };
}

const writers: Readonly<Record<EndpointName, (told: Told) => Events>> = {
  chat: inChat,
  responses: inResponses,
  messages: inMessages,
  gemini: inGemini,
};

function eventText(event: Event): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const name = event["type"] === undefined ? "" : `event: ${event["type"]}\n`;
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/**
 * Handles this half's requests: writes the stream and stops before its end unless the whole stream is
 * requested. Returns false for all other requests.
 */
export function leavingUpstream(body: string, reply: ServerResponse, { format }: GreedyCall): boolean {
  const [, request] = /x-leave:([\w-]+);/.exec(body) ?? [];
  if (request === undefined) return false;
  const text = Buffer.from(request, "base64url").toString("utf8");
  void writeStream(JSON.parse(text) as StreamRequest, reply, format);
  return true;
}

async function writeStream(
  { id, shape: name, isWhole, isReporting, promptTokens }: StreamRequest,
  reply: ServerResponse,
  format: EndpointName,
): Promise<void> {
  const wanted: Shape = shapes[name];
  const shape = { ...wanted, pieces: [...wanted.pieces, one("text", lastWord)] };
  const from = monotonicMs();
  const tokensWith = (thought: number): Tokens => {
    const output = sumOf(format === "gemini" ? joined(shape.pieces) : shape.pieces) + thought;
    return { input: promptTokens, cached: 0, output, reasoning: thought };
  };
  const eventsWith = (thought: number): Events =>
    writers[format]({ shape, isWhole, isReporting, thought, tokens: tokensWith(thought) });
  reply.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of eventsWith(0).first) reply.write(eventText(event));
  await pause(wanted.thinkMs ?? 0);
  const thought = wanted.thinkMs === undefined ? 0 : Math.round((monotonicMs() - from) * thinkingSpeed);
  written.set(id, tokensWith(thought).output);
  for (const event of eventsWith(thought).rest) reply.write(eventText(event));
  if (isWhole) reply.end();
}

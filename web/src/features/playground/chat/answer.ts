/**
 * What a model answered, put together from the events of a stream or from a whole answer.
 * Reads OpenAI's shape and the two common names of reasoning text. Knows no network; what is
 * not of the expected type is passed over.
 */
import { messageRefOf } from "../../../api/error.ts";
import type { MessageRef } from "../../../i18n/server-text.ts";
import type { ToolCall } from "./request.ts";

/** Text and ending of one answer. */
export interface ChatAnswer {
  readonly text: string;
  /** What the model thought first, where the stream carries it. */
  readonly reasoning: string;
  readonly refusal: string;
  /** Calls of tools as they came, by index. */
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string | null;
}

/** An error object as the wire has it. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  /** The server's id of the message, if it sent one. */
  readonly messageRef: MessageRef | null;
  readonly param: string | null;
}

export const emptyAnswer: ChatAnswer = {
  text: "",
  reasoning: "",
  refusal: "",
  toolCalls: [],
  finishReason: null,
};

type Shape = Readonly<Record<string, unknown>>;

function shapeOf(value: unknown): Shape {
  return typeof value === "object" && value !== null ? (value as Shape) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function withCalls(calls: ChatAnswer["toolCalls"], given: unknown): ChatAnswer["toolCalls"] {
  if (!Array.isArray(given)) return calls;
  const next = [...calls];
  for (const [at, one] of given.entries()) {
    const call = shapeOf(one);
    const made = shapeOf(call["function"]);
    const index = typeof call["index"] === "number" ? call["index"] : at;
    if (!Number.isInteger(index) || index < 0 || index > next.length) continue;
    const former = next[index] ?? { id: "", name: "", arguments: "" };
    next[index] = {
      // An id comes whole, once.
      id: former.id || textOf(call["id"]),
      name: former.name + textOf(made["name"]),
      arguments: former.arguments + textOf(made["arguments"]),
    };
  }
  return next;
}

/** Adds a `delta` of a stream, or the `message` of a whole answer. */
function withPart(answer: ChatAnswer, choice: Shape, part: Shape): ChatAnswer {
  return {
    text: answer.text + textOf(part["content"]),
    reasoning: answer.reasoning + (textOf(part["reasoning_content"]) || textOf(part["reasoning"])),
    refusal: answer.refusal + textOf(part["refusal"]),
    toolCalls: withCalls(answer.toolCalls, part["tool_calls"]),
    finishReason: textOf(choice["finish_reason"]) || answer.finishReason,
  };
}

/** Reads an error object, or undefined when there is none. */
export function errorIn(body: unknown): WireError | undefined {
  const error = shapeOf(body)["error"];
  if (error === undefined || error === null) return undefined;
  const fields = shapeOf(error);
  const message = typeof error === "string" ? error : textOf(fields["message"]);
  const code = fields["code"];
  return {
    code: typeof code === "string" || typeof code === "number" ? String(code) : "upstream_error",
    message,
    messageRef: messageRefOf(fields),
    param: typeof fields["param"] === "string" ? fields["param"] : null,
  };
}

/** What one event of a stream means. */
type ChatEvent =
  | { readonly kind: "part"; readonly answer: ChatAnswer; readonly hasContent: boolean }
  | { readonly kind: "error"; readonly error: WireError }
  | { readonly kind: "done" };

/** Reads the data of one event onto the answer so far. Throws SyntaxError on data that is no JSON. */
export function readEvent(answer: ChatAnswer, data: string): ChatEvent {
  if (data.trim() === "[DONE]") return { kind: "done" };
  const body: unknown = JSON.parse(data);
  const error = errorIn(body);
  if (error !== undefined) return { kind: "error", error };
  const choices = shapeOf(body)["choices"];
  const choice = shapeOf(
    Array.isArray(choices) ? choices.find((one) => (shapeOf(one)["index"] ?? 0) === 0) : undefined,
  );
  const next = withPart(answer, choice, shapeOf(choice["delta"]));
  const hasContent =
    next.text !== answer.text ||
    next.reasoning !== answer.reasoning ||
    next.refusal !== answer.refusal ||
    next.toolCalls.length > answer.toolCalls.length;
  return { kind: "part", answer: next, hasContent };
}

/** Reads a whole answer. */
export function readWhole(body: unknown): ChatAnswer {
  const choices = shapeOf(body)["choices"];
  const choice = shapeOf(Array.isArray(choices) ? choices[0] : undefined);
  return withPart(emptyAnswer, choice, shapeOf(choice["message"]));
}

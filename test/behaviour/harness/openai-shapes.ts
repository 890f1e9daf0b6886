/**
 * Responses in OpenAI's format (docs/wire/openai-chat.md sections 4 and 5), built from the parts that a test
 * needs.
 */

const head = { id: "chatcmpl-scripted", created: 1_760_000_000, model: "upstream-model" };

/**
 * Usage as most upstreams report it: 21 prompt tokens, 4 of them cached; 9 completion tokens, 3 of them
 * reasoning.
 */
export const someUsage = {
  prompt_tokens: 21,
  completion_tokens: 9,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 },
};

export interface Choice {
  readonly message: Readonly<Record<string, unknown>>;
  readonly finish?: string;
  readonly logprobs?: unknown;
}

/** A whole answer with one or more choices. */
export function completion(...choices: readonly Choice[]): Record<string, unknown> {
  return {
    ...head,
    object: "chat.completion",
    choices: choices.map(({ message, finish = "stop", logprobs = null }, index) => ({
      index,
      message: { role: "assistant", content: null, refusal: null, ...message },
      logprobs,
      finish_reason: finish,
    })),
    usage: someUsage,
  };
}

export function chunk(
  delta: Readonly<Record<string, unknown>>,
  finish: string | null = null,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...more }],
  };
}

/** The event with usage only. */
export const usageChunk = { ...head, object: "chat.completion.chunk", choices: [], usage: someUsage };

/** A whole stream: role, these deltas, finish, usage, end marker. */
export function streamOf(
  deltas: readonly Readonly<Record<string, unknown>>[],
  finish = "stop",
): readonly unknown[] {
  return [
    chunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, finish),
    usageChunk,
    "[DONE]",
  ];
}

/** A function call in a whole message. */
export function toolCall(id: string, name: string, args: unknown): Record<string, unknown> {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/** The deltas of function calls, one call after another: the name first, arguments in two fragments. */
export function toolCallDeltas(
  ...calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
): Record<string, unknown>[] {
  return calls.flatMap(({ id, name, args }, index) => {
    const text = JSON.stringify(args);
    const half = Math.floor(text.length / 2);
    return [
      { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(half) } }] },
    ];
  });
}

export function openaiError(
  message: string,
  more: { readonly type?: string; readonly param?: string | null; readonly code?: string | null } = {},
): Record<string, unknown> {
  return { error: { message, type: "invalid_request_error", param: null, code: null, ...more } };
}

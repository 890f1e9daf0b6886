/**
 * Answers of legacy completions (docs/wire/openai-completions.md sections 3 and 4), built from the few parts
 * a test cares about.
 */

const head = {
  id: "cmpl-scripted",
  object: "text_completion",
  created: 1_760_000_000,
  model: "upstream-model",
};

/** 10 prompt tokens and 5 output tokens. */
export const completionUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const choice = (text: string, index: number, finish: string | null) => ({
  text,
  index,
  logprobs: null,
  finish_reason: finish,
});

/** A whole answer with a choice for each text. */
export function textCompletion(...texts: readonly string[]): Record<string, unknown> {
  return {
    ...head,
    choices: texts.map((text, index) => choice(text, index, "length")),
    usage: completionUsage,
  };
}

export const textChunk = (
  text: string,
  finish: string | null = null,
  index = 0,
): Record<string, unknown> => ({
  ...head,
  choices: [choice(text, index, finish)],
});

/** The event with usage only. */
export const textUsage = { ...head, choices: [], usage: completionUsage };

/** A whole stream: these texts, finish, usage, end marker. */
export const textStream = (...texts: readonly string[]): readonly unknown[] => [
  ...texts.map((text) => textChunk(text)),
  textChunk("", "length"),
  textUsage,
  "[DONE]",
];

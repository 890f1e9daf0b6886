/** Gemini requests and responses in the format of Google's API. */

const geminiUsage = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

export const geminiResponse = (
  parts: readonly object[],
  finishReason?: string,
  usage: object = geminiUsage,
): object => ({
  candidates: [
    {
      content: { parts, role: "model" },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0,
    },
  ],
  usageMetadata: usage,
  modelVersion: "upstream-model",
  responseId: "resp-1",
});

export const geminiText = (text: string, more: object = {}): object => ({ text, ...more });

export const geminiError = (code: number, status: string, message = "no"): object => ({
  error: { code, message, status },
});

/** The objects of an event stream. */
export const geminiEvents = (text: string): Record<string, unknown>[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith("data:"))
    .map((event) => JSON.parse(event.slice("data:".length)) as Record<string, unknown>);

interface Candidate {
  readonly content?: { readonly parts?: readonly Record<string, unknown>[] };
  readonly finishReason?: string;
}

/** All parts of these objects, in order. */
export const partsOf = (objects: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
  objects.flatMap((object) =>
    ((object["candidates"] ?? []) as Candidate[]).flatMap(({ content }) => content?.parts ?? []),
  );

export const textOf = (objects: readonly Record<string, unknown>[]): string =>
  partsOf(objects)
    .map(({ text = "" }) => String(text))
    .join("");

export const finishOf = (objects: readonly Record<string, unknown>[]): string | undefined =>
  ((objects.at(-1)?.["candidates"] ?? []) as Candidate[])[0]?.finishReason;

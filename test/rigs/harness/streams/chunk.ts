/**
 * Builds recorded-style streams: chunks in OpenAI's format (docs/wire/openai-chat.md section 5) in each
 * vendor's spelling (spacing, line ends).
 */

/** Fields that are the same in all chunks of a stream. */
export interface StreamHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  /** Further top-level fields of every chunk. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A vendor's spelling of JSON and line ends. */
export interface Dialect {
  /** `python` puts a space after `:` and `,` as `json.dumps` does, and escapes non-ASCII. */
  readonly json: "compact" | "python";
  readonly lineEnd: "\n" | "\r\n";
}

export const openaiDialect: Dialect = { json: "compact", lineEnd: "\n" };

/** A chunk object with one choice. */
export function chunk(
  head: StreamHead,
  delta: object,
  options: { index?: number; finish?: string | null; choice?: object; top?: object } = {},
): object {
  return {
    id: head.id,
    object: "chat.completion.chunk",
    created: head.created,
    model: head.model,
    ...head.extra,
    choices: [
      {
        index: options.index ?? 0,
        delta,
        logprobs: null,
        finish_reason: options.finish ?? null,
        ...options.choice,
      },
    ],
    ...options.top,
  };
}

/** The usage-only chunk at the end of a stream for which usage was requested. */
export function usageChunk(head: StreamHead, usage: object, top: object = {}): object {
  return {
    id: head.id,
    object: "chat.completion.chunk",
    created: head.created,
    model: head.model,
    ...head.extra,
    choices: [],
    usage,
    ...top,
  };
}

/** A usage object from prompt and completion counts. */
export function usageOf(promptTokens: number, completionTokens: number, details: object = {}): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...details,
  };
}

export function eventBytes(value: object | string, dialect: Dialect = openaiDialect): Buffer {
  const text = typeof value === "string" ? value : writeJson(value, dialect);
  return Buffer.from(`data: ${text}${dialect.lineEnd}${dialect.lineEnd}`, "utf8");
}

/** An event with its type as its name, as Anthropic and OpenAI's Responses write them. */
export function namedEventBytes(value: { readonly type: string }, dialect: Dialect): Buffer {
  return Buffer.concat([Buffer.from(`event: ${value.type}${dialect.lineEnd}`), eventBytes(value, dialect)]);
}

/** JSON in the vendor's spelling. */
function writeJson(value: object, dialect: Dialect): string {
  if (dialect.json === "compact") return JSON.stringify(value);
  return spaced(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `json.dumps` spacing; strings are written whole, so their colons and commas stay unchanged. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${spaced(field)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}

/** A stream's name and its events in order. */
export interface StreamRecipe {
  readonly name: string;
  readonly pieces: readonly Buffer[];
}

/**
 * For tests: a conversation and an answer in no format, and what is looked for in every format. Callers write
 * and read them (`callers.ts`), upstreams too (`upstreams.ts`), independently of the product's code.
 */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a model says: thoughts, then text, then calls. */
export interface Answer {
  readonly thoughts?: string;
  /** Opaque reasoning, in the upstream's own form. */
  readonly opaque?: string;
  readonly text?: string;
  /** Words of a refusal, where the format has a place for them. */
  readonly refusal?: string;
  readonly calls?: readonly ToolCall[];
  /** Default: `calls` where there are any, else `stop`. */
  readonly end?: "stop" | "calls" | "length" | "filter" | "refusal";
}

export type Turn =
  | { readonly by: "user"; readonly text: string; readonly image?: string }
  /** Instructions that come in the middle of a conversation. */
  | { readonly by: "system"; readonly text: string }
  /** `replay`: what the caller's format sends back of an answer it got, as it came. */
  | { readonly by: "model"; readonly answer: Answer; readonly replay?: unknown }
  | { readonly by: "tools"; readonly results: readonly { readonly call: ToolCall; readonly text: string }[] };

export interface Question {
  readonly turns: readonly Turn[];
  readonly system?: string;
  /** Names of functions with one argument, `city`. */
  readonly tools?: readonly string[];
  readonly thinks?: boolean;
  /** Is an object of `schema` wanted? */
  readonly isStructured?: boolean;
  readonly isStream: boolean;
}

/** What a caller got. */
export interface Got {
  readonly text: string;
  readonly thoughts: string;
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  /** In the caller's own words, with the name of their field; empty = none came. */
  readonly finish: string;
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** The code of an error, in the caller's own shape. */
  readonly error: string | undefined;
  /** For the next turn. */
  readonly replay: unknown;
}

export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The name of a property nobody else has. */
export const schemaMark = "only_in_this_schema";
export const schema = {
  type: "object",
  properties: { [schemaMark]: { type: "string" } },
  required: [schemaMark],
  additionalProperties: false,
};

export const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** Of every answer of an upstream. */
export const tokens = { input: 10, output: 5 };

/** A text in three pieces, as a stream might split it. */
export function thirds(text: string): string[] {
  const third = Math.ceil(text.length / 3);
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter(Boolean);
}

export type ByEnd<Value> = Readonly<Record<NonNullable<Answer["end"]>, Value>>;

export const endOf = ({ end, calls = [] }: Answer): NonNullable<Answer["end"]> =>
  end ?? (calls.length > 0 ? "calls" : "stop");

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;

/** The data of every event of a stream, but comments and `[DONE]`. */
export const eventsIn = (text: string): Fields[] =>
  text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith("data:")))
    .map((line) => line.slice("data:".length).trim())
    .filter((data) => data !== "[DONE]")
    .map((data) => fieldsOf(JSON.parse(data)));

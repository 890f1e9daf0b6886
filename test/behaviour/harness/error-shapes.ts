/**
 * Errors as clients of each wire format read them: required fields and their content. Written from
 * docs/wire/, not from the product.
 */
import assert from "node:assert/strict";

export type ErrorFormat = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

/** The content of an error, in any format. */
export interface ToldError {
  readonly code: unknown;
  readonly message: unknown;
  readonly param: unknown;
  /** OpenAI's error type; null where the format has other types. */
  readonly type: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const keysOf = (value: unknown): string[] => Object.keys(value as object).sort();

function openai(body: Fields, more: readonly string[]): ToldError {
  assert.deepEqual(keysOf(body), ["error"]);
  const error = body["error"] as Fields;
  assert.deepEqual(keysOf(error), ["code", "message", "param", ...more, "type"]);
  const { code, message, param, type } = error;
  return { code, message, param, type };
}

const readers: Readonly<Record<ErrorFormat, (body: Fields) => ToldError>> = {
  "openai-chat": (body) => openai(body, []),
  "openai-responses": (body) => openai(body, ["request_id"]),
  "anthropic-messages": (body) => {
    assert.deepEqual([keysOf(body), body["type"]], [["error", "request_id", "type"], "error"]);
    assert.match(String(body["request_id"]), /^req_/);
    const { code, message, param = null, type } = body["error"] as Fields;
    assert.match(String(type), /^(?:\w+_error|request_too_large)$/);
    return { code, message, param, type: null };
  },
  gemini: (body) => {
    assert.deepEqual(keysOf(body), ["error"]);
    const { code: status, status: word, message, details } = body["error"] as Fields;
    assert.equal(typeof status, "number");
    assert.match(String(word), /^[A-Z_]+$/);
    const [first] = details as { metadata: Fields }[];
    assert.ok(first);
    const { code, param = null, type } = first.metadata;
    return { code, message, param, type };
  },
};

/** The content of an error body in this format; throws when it is not one. */
export const readError = (text: string, format: ErrorFormat): ToldError =>
  readers[format](JSON.parse(text) as Fields);

/** The error format of a path's clients. */
export function errorFormatOf(path: string): ErrorFormat {
  if (/^(?:\/v1)?\/v1\/messages(?:\/|$)|^\/anthropic(?:\/|$)|\/messages$|^\/v1\/complete$/.test(path))
    return "anthropic-messages";
  if (/\/responses$/.test(path)) return "openai-responses";
  if (/\/models\/[^/]+:\w+Content$/.test(path)) return "gemini";
  if (/^(?:\/openai)?\/v1\/responses(?:\/|$)/.test(path)) return "openai-responses";
  return /^\/v1beta1?\//.test(path) ? "gemini" : "openai-chat";
}

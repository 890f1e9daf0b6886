/**
 * How answers end in each format, for rigs: what says that a stream is complete, and what an error looks
 * like, as a body and as the end of a stream. Written from docs/call/errors.md; shares no code with the
 * product.
 */
import type { EndpointName } from "./endpoints.ts";
import { eventJson, isDone } from "./sse.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An error that a caller was told. */
export interface ToldError {
  readonly code: string;
  /** OpenAI's family; at Messages Anthropic's type. */
  readonly type: string;
  readonly message: string;
  /** Of Gemini's errors, which repeat it. */
  readonly status?: number;
}

/** The error at the end of a stream, and how many events tell it. */
export interface ToldFailure {
  readonly error: ToldError;
  readonly events: number;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** True when these are all members, but for those that may be missing. */
function hasKeys(fields: Fields, keys: readonly string[], sometimes: readonly string[] = []): boolean {
  const names = Object.keys(fields);
  return (
    keys.every((key) => names.includes(key)) &&
    names.every((name) => keys.includes(name) || sometimes.includes(name))
  );
}

function told(code: unknown, type: unknown, message: unknown): ToldError | undefined {
  const isSaid = typeof code === "string" && typeof type === "string" && typeof message === "string";
  return isSaid && message !== "" ? { code, type, message } : undefined;
}

function openaiError(error: Fields): ToldError | undefined {
  return told(error["code"], error["type"], error["message"]);
}

const openaiKeys = ["message", "type", "param", "code"];

/** By format: the error in a body or in an event's data; undefined = it has not the format's shape. */
const readers: Readonly<Record<EndpointName, (value: Fields) => ToldError | undefined>> = {
  chat(value) {
    const error = fieldsOf(value["error"]);
    return hasKeys(value, ["error"]) && hasKeys(error, openaiKeys) ? openaiError(error) : undefined;
  },
  responses(value) {
    const error = fieldsOf(value["error"]);
    const isRight = hasKeys(value, ["error"]) && hasKeys(error, [...openaiKeys, "request_id"]);
    return isRight ? openaiError(error) : undefined;
  },
  messages(value) {
    const error = fieldsOf(value["error"]);
    const isRight =
      value["type"] === "error" &&
      hasKeys(value, ["type", "error", "request_id"]) &&
      hasKeys(error, ["type", "message", "code"], ["param"]);
    return isRight ? openaiError(error) : undefined;
  },
  gemini(value) {
    const error = fieldsOf(value["error"]);
    const { code: status, status: name, details } = error;
    const isRight =
      hasKeys(value, ["error"]) &&
      hasKeys(error, ["code", "message", "status", "details"]) &&
      typeof status === "number" &&
      typeof name === "string" &&
      Array.isArray(details);
    if (!isRight) return undefined;
    const { code, type } = fieldsOf(fieldsOf(details[0])["metadata"]);
    const read = told(code, type, error["message"]);
    return read && { ...read, status };
  },
};

/** The error of a body; undefined when it is none in the shape of this endpoint. */
export function readErrorBody(endpoint: EndpointName, body: Buffer): ToldError | undefined {
  try {
    return readers[endpoint](fieldsOf(JSON.parse(body.toString("utf8"))));
  } catch {
    return undefined;
  }
}

/** Responses tell a failure twice: `error`, which OpenAI's SDKs throw, and `response.failed`. */
function readFailedResponse(pieces: readonly Buffer[]): ToldFailure | undefined {
  const [first, last] = pieces.slice(-2).map((piece) => fieldsOf(eventJson(piece)));
  const { status, error } = fieldsOf(last?.["response"]);
  const isRight =
    first?.["type"] === "error" &&
    last?.["type"] === "response.failed" &&
    status === "failed" &&
    typeof fieldsOf(error)["message"] === "string" &&
    fieldsOf(error)["code"] === first["code"];
  const read = isRight ? openaiError(fieldsOf(first["error"])) : undefined;
  return read && { error: read, events: 2 };
}

/** The error that the last of these events tells; undefined when there is none in the endpoint's shape. */
export function readFailure(endpoint: EndpointName, pieces: readonly Buffer[]): ToldFailure | undefined {
  if (endpoint === "responses") return readFailedResponse(pieces);
  const error = readers[endpoint](fieldsOf(eventJson(pieces.at(-1) ?? Buffer.alloc(0))));
  return error && { error, events: 1 };
}

/** True for an event by which a stream of this format is complete. */
export function isTerminal(endpoint: EndpointName, piece: Buffer): boolean {
  if (endpoint === "chat") return isDone(piece);
  const { type, candidates } = fieldsOf(eventJson(piece));
  if (endpoint === "responses") return type === "response.completed" || type === "response.incomplete";
  if (endpoint === "messages") return type === "message_stop";
  return Array.isArray(candidates) && candidates.some((one) => fieldsOf(one)["finishReason"] !== undefined);
}

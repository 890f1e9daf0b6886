/**
 * An HTTP caller for single requests with any method, headers and body, and checks for all the product's
 * responses. Uses no product code except the error format.
 */
import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request } from "node:http";
import { errorCatalogue } from "@plaza/contract/errors.ts";
import { isDone, splitEvents } from "../../rigs/harness/sse.ts";
import { type ErrorFormat, readError } from "./error-shapes.ts";

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  /** Sends the body without Content-Length. */
  readonly isChunked?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request on a new connection. Rejects when there is no response or it breaks off. */
export function send(origin: string, ask: Ask): Promise<Answer> {
  const body = typeof ask.body === "string" ? Buffer.from(ask.body) : ask.body;
  const length =
    body === undefined || ask.isChunked === true ? {} : { "content-length": String(body.length) };
  return new Promise((resolve, reject) => {
    let hasHead = false;
    const call = request(
      `${origin}${ask.path}`,
      { method: ask.method ?? "POST", agent: false, headers: { ...length, ...ask.headers } },
      (response) => {
        hasHead = true;
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString("utf8"),
          }),
        );
      },
    );
    call.setTimeout(20_000, () => call.destroy(new Error("no answer within 20 s")));
    call.on("error", (error) => {
      if (!hasHead) reject(error);
    });
    call.end(body);
  });
}

/** `POST /v1/chat/completions` with a key. */
export function sendChat(origin: string, key: string, body: unknown): Promise<Answer> {
  return send(origin, {
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** The expected content of an error. */
export interface ExpectedError {
  readonly code: string;
  readonly param?: string | null | undefined;
  readonly message?: RegExp | undefined;
  /** Default: OpenAI's, of chat completions. */
  readonly format?: ErrorFormat | undefined;
}

/** Codes beyond the catalogue's, with their status and type. */
const passedCodes: Readonly<Record<string, string>> = {
  invalid_value: "invalid_request_error",
};

/** Checks an error body: exactly its format's fields, and their content. */
export function assertErrorBody(text: string, expected: ExpectedError): void {
  const { message, type, param, code } = readError(text, expected.format ?? "openai-chat");
  assert.equal(code, expected.code);
  assert.equal(param, expected.param ?? null);
  const row = errorCatalogue[expected.code as keyof typeof errorCatalogue] as { type: string } | undefined;
  if (type !== null) assert.equal(type, row?.type ?? passedCodes[expected.code]);
  assert.ok(
    typeof message === "string" && message.length > 10 && message.length <= 1_000,
    `message: ${message}`,
  );
  if (expected.message !== undefined) assert.match(message, expected.message);
}

/** Checks a complete error response: status, format, content type, `x-request-id`, `x-should-retry`. */
export function assertErrorAnswer(answer: Answer, status: number, expected: ExpectedError): void {
  assert.equal(answer.status, status, answer.text.slice(0, 300));
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  assert.match(String(answer.headers["x-request-id"]), /^req_\w{10,}/);
  assert.match(String(answer.headers["x-should-retry"]), /^(?:true|false)$/);
  if (expected.format === "anthropic-messages")
    assert.equal(answer.headers["request-id"], answer.headers["x-request-id"]);
  assertErrorBody(answer.text, expected);
}

/** Checks the headers that a page's script needs for a response under /v1. */
export function assertCors(answer: Answer): void {
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  const exposed = String(answer.headers["access-control-expose-headers"])
    .toLowerCase()
    .split(/\s*,\s*/);
  for (const name of ["x-request-id", "retry-after", "retry-after-ms", "x-should-retry"]) {
    assert.ok(exposed.includes(name), `${name} is not exposed`);
  }
}

/** The data of each event of a stream, without comments. */
export function eventTexts(text: string): string[] {
  return splitEvents(Buffer.from(text)).flatMap((piece) => {
    const data = /^data: ?(.*)$/m.exec(piece.toString("utf8"))?.[1];
    return data === undefined ? [] : [data];
  });
}

/** True when the stream ended normally: exactly one end marker, at the end. */
export function isFinished(text: string): boolean {
  const pieces = splitEvents(Buffer.from(text));
  return pieces.filter(isDone).length === 1 && isDone(pieces.at(-1) ?? Buffer.alloc(0));
}

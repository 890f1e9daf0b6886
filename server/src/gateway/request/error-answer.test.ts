/** Errors in the format of the path that was called, whole and at the end of a stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { wireErrorFor } from "@plaza/contract/error-wire.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { AnswerError, StreamReader, WireProtocol } from "../../protocols/wire-protocol.ts";
import { errorAnswer, failureOf } from "./error-answer.ts";

type Format = Pick<WireProtocol, "errors" | "readStream">;

/** A format that writes what it was told, and in streams who told it. */
const teller = (name: string): StreamReader =>
  ({ failure: (error: AnswerError) => Buffer.from(JSON.stringify({ name, ...error })) }) as StreamReader;
const own: Format = {
  errors: { body: (error) => Buffer.from(JSON.stringify(error)) },
  readStream: () => teller("fresh"),
};
const plain: Format = { readStream: () => ({}) as StreamReader };

const error = new GatewayError("rate_limit_exceeded", { retryAfterMs: 1_500, param: "which" });
const told = { requestId: "req_1", headers: {} };
const said = {
  type: "rate_limit_error",
  param: "which",
  code: "rate_limit_exceeded",
  status: 429,
  requestId: "req_1",
  retryAfterMs: 1_500,
};
const parsed = (bytes: Buffer): Record<string, unknown> => JSON.parse(bytes.toString());

test("without a format, or with one without errors of its own, an error is OpenAI's", () => {
  for (const format of [undefined, plain])
    assert.deepEqual(errorAnswer(error, { format, ...told }), wireErrorFor(error, {}));
});

test("a format writes its own body; status and headers stay those of the catalogue", () => {
  const { status, headers, body } = errorAnswer(error, { format: own, ...told });
  const { message, ...rest } = parsed(body);
  assert.deepEqual(rest, said);
  assert.equal(message, error.message);
  const openais = wireErrorFor(error, {});
  assert.deepEqual([status, headers], [openais.status, openais.headers]);
  assert.ok(headers.includes("retry-after"));
});

test("an upstream's code that is passed on is the one every format writes", () => {
  const passed = new GatewayError("invalid_request", { passedCode: "string_above_max_length" });
  for (const format of [own, undefined]) {
    const { body } = errorAnswer(passed, { format, ...told });
    assert.match(body.toString(), /"code":"string_above_max_length"/);
  }
});

test("a stream fails in the words of the reader that read it; where nothing was sent, in those of a new one", () => {
  const { name, message, ...rest } = parsed(failureOf(error, { format: own, ...told }, teller("used")));
  assert.deepEqual([name, message, rest], ["used", error.message, said]);
  assert.equal(parsed(failureOf(error, { format: own, ...told }, undefined))["name"], "fresh");
});

test("a stream of a format without an own end fails with OpenAI's event, and no text can add another", () => {
  const hostile = new GatewayError("invalid_request", { param: "a\n\ndata: [DONE]\n\n" });
  for (const [format, reader] of [
    [undefined, undefined],
    [plain, undefined],
    [own, {} as StreamReader],
  ] as const) {
    const text = failureOf(hostile, { format, ...told }, reader).toString();
    assert.match(text, /^(?:event: error\n)?data: \{"error":.*\}\n\n$/);
    assert.ok(!text.includes("\ndata: [DONE]"), text);
  }
});

/** Google's own SDK reads Plaza's streams and errors: the same parts, the same usage, its own error class. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { ApiError, GoogleGenAI } from "@google/genai";
import { randomOf, sayRandomAnswer } from "../../../conversation/testing/random-answers.ts";
import { plainSeal } from "../../payloads/seal.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { objectsOf, partsOf } from "../testing/gather.ts";
import { gemini } from "./answers.ts";
import { errorBody, failedEnd } from "./errors.ts";
import { countBody, modelsBody } from "./others.ts";

let reply: { readonly status: number; readonly type: string; readonly body: Buffer };
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  request.resume();
  response.writeHead(reply.status, { "content-type": reply.type });
  // Cut at positions inside events.
  for (let from = 0; from < reply.body.length; from += 97)
    response.write(reply.body.subarray(from, from + 97));
  response.end();
});
let client: GoogleGenAI;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: `http://127.0.0.1:${port}` } });
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const events = (body: Buffer) => ({ status: 200, type: "text/event-stream", body });
const json = (body: Buffer, status = 200) => ({ status, type: "application/json", body });
const head = { id: "r1", model: "m", showsThoughts: true, seal: plainSeal };
const call = { model: "gemini-x", contents: "Q" };

function streamOf(seed: number): { readonly writer: ResponseWriter; readonly bytes: Buffer } {
  const writer = new ResponseWriter(head);
  const pieces: Buffer[] = [];
  writer.idle();
  pieces.push(writer.take());
  sayRandomAnswer(writer, randomOf(seed));
  pieces.push(writer.take());
  writer.close();
  pieces.push(writer.take());
  return { writer, bytes: Buffer.concat(pieces) };
}

test("a stream has the same parts, ends and usage", async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { bytes } = streamOf(seed);
    reply = events(bytes);
    const got: Record<string, unknown>[] = [];
    for await (const piece of await client.models.generateContentStream(call))
      got.push(JSON.parse(JSON.stringify(piece)) as Record<string, unknown>);
    const sent = objectsOf(bytes);
    assert.deepEqual(partsOf(got), partsOf(sent), `seed ${seed}`);
    assert.deepEqual(got.at(-1)?.["usageMetadata"], sent.at(-1)?.["usageMetadata"]);
    assert.equal(got.at(-1)?.["responseId"], "r1");
  }
  assert.match(asked[0] ?? "", /models\/gemini-x:streamGenerateContent\?alt=sse$/);
});

/** Google's SDK for JavaScript before it took events apart: Gemini CLI 0.61 has it. Throws as it does. */
function readAsOlderSdks(pieces: readonly Buffer[]): unknown[] {
  const line = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/;
  const read: unknown[] = [];
  let buffer = "";
  for (const piece of pieces) {
    buffer += piece.toString("utf8");
    for (let match = line.exec(buffer); match !== null; match = line.exec(buffer)) {
      read.push(JSON.parse(match[1] as string));
      buffer = buffer.slice(match[0].length);
    }
  }
  if (buffer.trim() !== "") throw new Error("Incomplete JSON segment at the end");
  return read;
}

test("older SDKs read a stream with signs of life in it, of the answer and of a silent upstream", () => {
  const writer = new ResponseWriter(head);
  const pieces: Buffer[] = [];
  const keepAlive = gemini.keepAlive ?? Buffer.from(": keep-alive\n\n");
  const take = (): void => {
    writer.idle();
    pieces.push(keepAlive, writer.take());
  };
  take();
  writer.text("Hi");
  take();
  writer.toolCall(0, { id: "c1", name: "f" });
  writer.toolArguments(0, '{"a":');
  take();
  writer.toolArguments(0, "1}");
  take();
  writer.finish("tool_calls");
  writer.close();
  take();
  assert.deepEqual(readAsOlderSdks(pieces), objectsOf(Buffer.concat(pieces)));
});

test("a whole answer, a count, vectors and the list of models", async () => {
  const writer = new ResponseWriter(head);
  writer.text("Hi");
  writer.toolCall(0, { id: "c1", name: "f", signature: "c2ln" });
  writer.toolArguments(0, '{"a":1}');
  writer.finish("tool_calls");
  writer.usage({ input: 5, cachedInput: 3, cacheWrite: 0, output: 9, reasoning: 4 });
  reply = json(writer.build() as Buffer);
  const answer = await client.models.generateContent(call);
  assert.equal(answer.text, "Hi");
  assert.deepEqual(answer.functionCalls, [{ id: "c1", name: "f", args: { a: 1 } }]);
  assert.equal(answer.candidates?.[0]?.finishReason, "STOP");
  assert.deepEqual(answer.usageMetadata, {
    promptTokenCount: 8,
    candidatesTokenCount: 5,
    totalTokenCount: 17,
    cachedContentTokenCount: 3,
    thoughtsTokenCount: 4,
  });
  reply = json(countBody(12));
  assert.equal((await client.models.countTokens(call)).totalTokens, 12);
  reply = json(modelsBody([{ name: "a/b:c", inputTokenLimit: 9, methods: ["generateContent"] }]));
  const models = [];
  for await (const model of await client.models.list()) models.push(model);
  assert.deepEqual([models[0]?.name, models[0]?.inputTokenLimit], ["models/a/b:c", 9]);
});

test("a blocked prompt, errors before and in a stream", async () => {
  const writer = new ResponseWriter(head);
  writer.finish("content_filter");
  reply = json(writer.build() as Buffer);
  const blocked = await client.models.generateContent(call);
  assert.equal(blocked.promptFeedback?.blockReason, "SAFETY");
  assert.equal(blocked.candidates, undefined);
  const error = {
    code: "rate_limit_exceeded",
    type: "rate_limit_error",
    message: "Slow down.",
    status: 429,
    param: "contents",
    requestId: "req_1",
    retryAfterMs: 1_500,
  };
  const isOurs = (thrown: unknown): boolean => {
    assert.ok(thrown instanceof ApiError && thrown.status === 429, String(thrown));
    const text = thrown.message.slice(thrown.message.indexOf("{"));
    const { status, details } = (JSON.parse(text) as { error: { status: string; details: object[] } }).error;
    assert.equal(status, "RESOURCE_EXHAUSTED");
    assert.match(JSON.stringify(details), /"code":"rate_limit_exceeded".*"retryDelay":"2s"/);
    return true;
  };
  reply = json(errorBody(error), 429);
  await assert.rejects(client.models.generateContent(call), isOurs);
  reply = events(Buffer.concat([streamOf(3).bytes, failedEnd(error)]));
  const read = async (): Promise<void> => {
    for await (const piece of await client.models.generateContentStream(call)) assert.ok(piece);
  };
  await assert.rejects(read(), isOurs);
});

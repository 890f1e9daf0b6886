/** What a translation thread does for its calls, without a thread. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultTimeouts } from "@plaza/contract/catalog.ts";
import type { Fault } from "../../../protocols/protocol.ts";
import { requestOf } from "../testing/fixture-rig.ts";
import {
  type EncodedCall,
  type JobKind,
  type Jobs,
  ownBytes,
  type TranslationTask,
  type WrittenAnswer,
  type WrittenEvents,
} from "./messages.ts";
import { Translator } from "./translator.ts";

const hello = { model: "m", messages: [{ role: "user", content: "hi" }] };

function taskOf(asked: ReturnType<typeof requestOf>, provider: string): TranslationTask {
  const { body: _body, memory: _memory, ...request } = asked;
  return {
    caller: "openai-chat",
    upstream: {
      id: "up",
      provider,
      baseUrl: "https://up.test/v1",
      credentials: ["k"],
      timeouts: defaultTimeouts,
    },
    deployment: { model: "theirs", formats: undefined },
    answerId: "chatcmpl-1",
    request,
    seal: undefined,
  };
}

/** Opens call 1 for this request. `run`: a job of it. */
async function opened(body: object = hello, provider = "anthropic") {
  const translator = new Translator();
  const asked = requestOf(body);
  const task = taskOf(asked, provider);
  assert.equal(await translator.take({ kind: "open", session: 1, task, body: asked.body }), undefined);
  const run = async <Kind extends JobKind>(kind: Kind, asks: Jobs[Kind]["asks"], session = 1) => {
    const said = await translator.take({ kind, session, job: 7, asks });
    assert.equal(said?.job, 7);
    return said as { gives?: unknown; fault?: Fault; error?: string };
  };
  return { translator, asked, run };
}

const encode = { credential: "k", remembered: [], media: undefined };
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

test("a call is encoded with its credential, in bytes that may be given away", async () => {
  for (const provider of ["anthropic", "google"]) {
    const { run, asked } = await opened(hello, provider);
    const { path, headers, body } = (await run("encode", encode)).gives as EncodedCall;
    assert.match(path, provider === "google" ? /theirs/ : /^\/v1\//);
    assert.ok(headers.includes("k"));
    assert.match(Buffer.from(body).toString(), /"text":"hi"/);
    assert.notEqual(body.buffer, asked.body.buffer);
    const own = ownBytes(body);
    structuredClone(own, { transfer: [own.buffer] });
    assert.deepEqual(JSON.parse(asked.body.toString()), hello, "the request is there for another try");
  }
});

test("a request that the upstream cannot take is a fault with the field's name, and no bug", async () => {
  const { run } = await opened({ ...hello, max_tokens: 5, max_completion_tokens: -1 });
  const { fault, error } = await run("encode", encode);
  assert.deepEqual([fault?.kind, fault?.param, error], ["bad_request", "max_completion_tokens", undefined]);
});

test("what the memory lacked is asked for once, and known after it was given", async () => {
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
  const { run } = await opened(
    {
      model: "m",
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "done" },
      ],
    },
    "google",
  );
  const first = (await run("encode", encode)).gives as EncodedCall;
  assert.deepEqual(first.missed, ["call_1"]);
  const again = (await run("encode", { ...encode, remembered: [["call_1", "value"]] })).gives as EncodedCall;
  assert.deepEqual(again.missed, []);
});

test("a stream is translated over its pieces; its state goes along, and its code does not", async () => {
  const { run } = await opened({ ...hello, stream: true });
  const events = [
    {
      type: "message_start",
      message: { id: "a", model: "theirs", usage: { input_tokens: 3, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const half = text.indexOf("hello") + 2;
  const first = (await run("push", bytes(text.slice(0, half)))).gives as WrittenEvents;
  const second = (await run("push", bytes(text.slice(half)))).gives as WrittenEvents;
  const last = (await run("end", undefined)).gives as WrittenEvents;
  const out = [first, second, last].map((one) => Buffer.from(one.bytes).toString()).join("");
  assert.match(out, /"content":"hello"[\s\S]*data: \[DONE\]\n\n$/);
  for (const { state } of [first, second, last]) assert.deepEqual(structuredClone(state), state);
  assert.deepEqual(
    ["push", "end"].map((name) => name in last.state),
    [false, false],
  );
});

test("a whole answer is given with its report; what is none, as the beginning of its text", async () => {
  const { run } = await opened();
  const answer = {
    id: "a",
    type: "message",
    role: "assistant",
    model: "theirs",
    content: [{ type: "text", text: "hello" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const whole = (await run("whole", bytes(JSON.stringify(answer)))).gives as WrittenAnswer;
  assert.ok("body" in whole);
  assert.match(Buffer.from(whole.body).toString(), /"content":"hello"/);
  assert.deepEqual(structuredClone(whole.report), whole.report);
  const other = (await run("whole", bytes(`<html>${"x".repeat(100_000)}`))).gives as WrittenAnswer;
  assert.ok("other" in other);
  assert.deepEqual([other.other.length, other.other.slice(0, 6)], [64 * 1024, "<html>"]);
});

test("a job of a call that is closed, or was never open, is a bug that quotes nothing", async () => {
  const { translator, run } = await opened();
  assert.deepEqual(await run("encode", encode, 2), { job: 7, error: "Error" });
  assert.equal(await translator.take({ kind: "close", session: 1 }), undefined);
  assert.deepEqual(await run("encode", encode), { job: 7, error: "Error" });
});

test("a call that cannot be opened fails with its first job, and others go on", async () => {
  const { translator, run } = await opened();
  const asked = requestOf(hello);
  const tasks = [
    taskOf(asked, "unknown"),
    taskOf(asked, "demo"),
    { ...taskOf(asked, "anthropic"), caller: "unknown" as TranslationTask["caller"] },
  ];
  for (const [index, task] of tasks.entries()) {
    const session = 2 + index;
    assert.equal(await translator.take({ kind: "open", session, task, body: asked.body }), undefined);
    assert.deepEqual(await run("encode", encode, session), { job: 7, error: "Error" });
  }
  assert.ok((await run("encode", encode)).gives !== undefined);
});

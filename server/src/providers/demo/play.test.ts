import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRecord, type JsonRecord, recordOf } from "../../lib/record.ts";
import { anyCharacter } from "../../lib/testing/any-character.ts";
import { readUsage } from "../../protocols/openai-chat/usage.ts";
import { bodyOf, checkBoth, clock, play, say, sql, user, weather } from "../testing/play-rig.ts";
import { demo } from "./demo.ts";
import { checkStream, eventsOf, requestOf } from "./stream-rules.ts";

test("the same body, model and time give the same bytes; another time another id", () => {
  const request = requestOf({ model: "m", messages: user("x"), stream: true });
  assert.deepEqual(demo.scripts.chat(request, "m", 5), demo.scripts.chat(request, "m", 5));
  assert.notDeepEqual(demo.scripts.chat(request, "m", 5), demo.scripts.chat(request, "m", 6));
});

test("model and created are what the caller of script says", () => {
  const { id, model, created, object } = bodyOf(play({ messages: user("x") }));
  assert.match(String(id), /^chatcmpl-demo-\w{20}$/);
  assert.deepEqual([model, created, object], ["up", 1_760_000_000, "chat.completion"]);
});

test("completion tokens are the pieces streamed", () => {
  const script = play({ messages: user("/words 30"), stream: true });
  const { usage } = checkStream(script, 1);
  const content = eventsOf(script).filter((event) => /"content":"[^"]/.test(event));
  assert.equal(usage?.["completion_tokens"], content.length);
  assert.equal(content.length, 30);
});

test("usage: null before the end only for callers who asked", () => {
  const asked = eventsOf(
    play({ messages: user("x"), stream: true, stream_options: { include_usage: true } }),
  );
  assert(asked.slice(0, -2).every((event) => event.includes('"usage":null')));
  const unasked = eventsOf(play({ messages: user("x"), stream: true }));
  assert.equal(unasked.filter((event) => event.includes('"usage"')).length, 1);
});

test("/refuse and /filter", () => {
  const [refused] = checkBoth({ messages: user("/refuse"), tools: [weather] });
  assert.deepEqual([refused?.message["content"], refused?.finish_reason], [null, "stop"]);
  assert.match(String(refused?.message["refusal"]), /decline/);
  const [filtered] = checkBoth({ messages: user("/filter hello") });
  assert.deepEqual(
    [filtered?.message["content"], filtered?.finish_reason],
    ["This is Plaza's", "content_filter"],
  );
});

test("/usage none, zero and bad, streamed and whole", () => {
  const usage = (kind: string): unknown[] => {
    const messages = user(`/usage ${kind}`);
    return [bodyOf(play({ messages }))["usage"], checkStream(play({ messages, stream: true }), 1).usage];
  };
  assert.deepEqual(usage("none"), [undefined, undefined]);
  for (const value of usage("zero")) {
    assert.deepEqual(readUsage(value), { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 });
  }
  for (const value of usage("bad")) {
    assert(isRecord(value));
    assert.equal(readUsage(value), undefined);
  }
});

test("/fail answers as OpenAI does, and its own classification agrees", () => {
  const cases: [string, number, string][] = [
    ["400", 400, "bad_request"],
    ["400 context_length_exceeded", 400, "context_length"],
    ["400 unsupported_parameter", 400, "bad_request"],
    ["400 invalid_value", 400, "bad_request"],
    ["400 content_filter", 400, "content_filter"],
    ["401", 401, "upstream_auth"],
    ["402", 402, "upstream_quota"],
    ["403", 403, "upstream_auth"],
    ["404", 404, "model_unavailable"],
    ["413", 413, "too_large"],
    ["418", 418, "server"],
    ["429", 429, "rate_limit"],
    ["429 insufficient_quota", 429, "upstream_quota"],
    ["500", 500, "server"],
    ["503", 503, "overloaded"],
    ["504", 504, "timeout"],
  ];
  for (const [what, status, kind] of cases) {
    for (const stream of [false, true]) {
      const script = play({ messages: user(`/fail ${what}`), stream });
      assert.equal(script.status, status);
      assert.equal(script.headers["content-type"], "application/json");
      const error = recordOf(bodyOf(script)["error"]);
      assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
      assert.equal(demo.fault(status, script.headers, JSON.stringify(bodyOf(script))).kind, kind, what);
    }
  }
  const limited = play({ messages: user("/fail 429") });
  assert.equal(demo.fault(429, limited.headers, JSON.stringify(bodyOf(limited))).retryAfterMs, 1_000);
});

const contentChunks = (events: readonly string[]): number =>
  events.filter((event) => /"content":"[^"]/.test(event)).length;

test("/cut, /error and /hang stop a stream after N content chunks", () => {
  for (const count of [1, 3, 500]) {
    const shown = Math.min(count, 10);
    const cut = play({ messages: user(`/words 10 /cut ${count}`), stream: true });
    assert.deepEqual([cut.ending, contentChunks(eventsOf(cut))], ["cut", shown]);
    assert.equal(
      eventsOf(cut).some((event) => event === "[DONE]" || event.includes('"finish_reason":"')),
      false,
    );
    const hang = play({ messages: user(`/words 10 /hang ${count}`), stream: true });
    assert.deepEqual([hang.ending, contentChunks(eventsOf(hang))], ["hang", shown]);
    const error = play({ messages: user(`/words 10 /error ${count}`), stream: true });
    const events = eventsOf(error);
    assert.deepEqual([error.ending, contentChunks(events)], ["end", shown]);
    assert.equal(demo.fault(200, {}, events.at(-1) ?? "").kind, "server");
    assert(isRecord((JSON.parse(events.at(-1) ?? "") as JsonRecord)["error"]));
  }
  assert.equal(contentChunks(eventsOf(play({ messages: user("/cut 0"), stream: true }))), 0);
  assert.deepEqual(play({ messages: user("/hang 0"), stream: true }).steps, []);
});

test("/cut, /error and /hang of a whole answer", () => {
  const half = play({ messages: user("/cut 1") });
  assert.equal(half.ending, "cut");
  assert.throws(() => bodyOf(half), SyntaxError);
  assert.deepEqual(play({ messages: user("/hang 0") }), {
    ...half,
    headers: half.headers,
    steps: [],
    ending: "hang",
  });
  assert.equal(play({ messages: user("/hang 2") }).steps.length, 1);
  const error = play({ messages: user("/error 2") });
  assert.deepEqual([error.status, error.ending, isRecord(bodyOf(error)["error"])], [200, "end", true]);
});

test("/html is a web page with status 200", () => {
  for (const stream of [true, false]) {
    const script = play({ messages: user("/html"), stream });
    assert.equal(script.status, 200);
    assert.match(script.headers["content-type"] ?? "", /^text\/html/);
    assert.equal(demo.fault(200, {}, String(script.steps[0]?.bytes)).kind, "server");
  }
});

test("/slow and /wait set the pauses; a whole answer takes as long as its stream", () => {
  const pauses = (content: string, n = 1): number[] =>
    play({ messages: user(content), stream: true, n }).steps.map(({ afterMs }) => afterMs);
  assert.deepEqual(pauses("/words 3"), [20, 20, 20, 20, 0, 0, 0]);
  assert.deepEqual(pauses("/words 3 /slow 7 /wait 100"), [107, 7, 7, 7, 0, 0, 0]);
  assert.deepEqual(pauses("/words 2 /slow 0"), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(pauses("/words 2", 2), [20, 0, 20, 0, 20, 0, 0, 0, 0, 0]);
  const [whole] = play({ messages: user("/words 3 /slow 7 /wait 100") }).steps;
  assert.equal(whole?.afterMs, 100 + 4 * 7);
});

test("a directive that cannot be understood is explained", () => {
  const text = String(say("/slow fast /dance").message["content"]);
  assert.match(text, /\/slow needs milliseconds from 0 to 60000; there is no directive \/dance/);
});

test("any text and any mixture of directives and options give a stream by the rules, equal to the whole answer", () => {
  const word = fc.constantFrom(
    "/words 3",
    "/slow 1",
    "/tool",
    "/tools 2",
    "/refuse",
    "/filter",
    "/dance",
    "clock",
    "hi",
  );
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.array(word, { maxLength: 4 }).map((all) => all.join(" ")),
  );
  const options = fc.record(
    {
      n: fc.integer({ min: 1, max: 4 }),
      max_tokens: fc.integer({ min: 1, max: 30 }),
      reasoning_effort: fc.constantFrom("none", "low", "high"),
      tools: fc.constantFrom([weather, clock, sql], [clock]),
      stop: fc.constantFrom("demo", ["a", "b"]),
      logprobs: fc.boolean(),
      response_format: fc.constantFrom({ type: "text" }, { type: "json_object" }),
    },
    { requiredKeys: [] },
  );
  const isControl = /\/(?:fail|html|hang|cut|error|usage|echo)/;
  fc.assert(
    fc.property(text, options, (content, more) => {
      if (!isControl.test(content)) checkBoth({ messages: user(content), ...more });
    }),
    { numRuns: 300 },
  );
});

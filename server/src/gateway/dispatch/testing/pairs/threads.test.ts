/**
 * Random conversations through every pair, each turn twice: translated on the event loop and in a thread. The
 * upstream is sent the same bytes, the caller gets the same, and the same is remembered. `SEED` changes a
 * run.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { type Random, randomOf } from "../../../../conversation/testing/random-answers.ts";
import type { ReplayMemory } from "../../../../protocols/protocol.ts";
import { Untranslatable } from "../../../../protocols/untranslatable.ts";
import { createPayloadSeals } from "../../../request/memory/payload-seals.ts";
import type { RequestMemory } from "../../../request/memory/replay-memory.ts";
import type { Media } from "../../../upstreams/media.ts";
import type { Tokens } from "../../../upstreams/tokens.ts";
import { buildThreadedCall, openSession, ThreadedTranslation } from "../../attempt/threaded-call.ts";
import { CallRefused } from "../../fault-error.ts";
import { TranslationThreads } from "../../threads/translation-threads.ts";
import { createTestMemory } from "../fixture-rig.ts";
import { pairCallers } from "./callers.ts";
import { randomAnswer, randomOpaque, randomText, toolNames } from "./random-talk.ts";
import { answer, type Call, callOf } from "./rig.ts";
import type { Answer, ToolCall, Turn } from "./talk.ts";
import { type PairUpstream, pairUpstreams } from "./upstreams.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const turnsMost = 6;
const threads = new TranslationThreads();
after(() => threads.stop());

const tokens: Tokens = { get: (_scheme, _upstream, credential) => credential, forget() {} };
const media: Media = { fetch: () => Promise.reject(new Error("nothing is fetched")) };
const key = new Uint8Array(32).fill(7);
const seal = createPayloadSeals({ elapsedMs: () => 0 }, () => key).of("acc_1");

const withStore = (memory: ReplayMemory): RequestMemory => ({ ...memory, lookUp: () => undefined });

/** The translation of the call in a thread, as `start-attempt.ts` makes it. */
function threaded(
  call: Call,
  at: PairUpstream,
  memory: RequestMemory,
  within = threads,
): ThreadedTranslation {
  const { endpoint, request, way, target } = call;
  const bound = { request: { ...request, memory }, id: `${endpoint.protocol.idPrefix}pair` };
  const called = { upstream: target.upstream, deployment: at.deployment };
  const session = openSession(within, endpoint.protocol, called, bound);
  assert.ok(session !== undefined && way.translation !== undefined);
  return new ThreadedTranslation(way.translation, bound, session);
}

/** Sealed payloads are never the same twice; Gemini's are base64 again. */
const sealless = (text: string): string =>
  text.replace(/(?:cGxhemEtdGhvdWdodHM|plaza-thoughts|v1\.[0-9a-f]{8}\.)[\w+/=.-]*/g, "sealed");

function cutAtRandom(pieces: readonly Buffer[], random: Random): Buffer[] {
  const whole = Buffer.concat(pieces);
  const cut: Buffer[] = [];
  for (let at = 0; at < whole.length; at += cut.at(-1)?.length ?? 0)
    cut.push(whole.subarray(at, at + 1 + random(200)));
  return cut;
}

for (const caller of pairCallers)
  test(`${caller.name}: a thread translates as the event loop does (seed ${seed})`, async () => {
    for (const at of pairUpstreams) {
      const random = randomOf(seed);
      const [here, there] = [createTestMemory(), withStore(createTestMemory())];
      const turns: Turn[] = [];
      let called = 0;
      let waiting: readonly ToolCall[] = [];
      for (let round = 0; round < turnsMost; round += 1) {
        const note = `SEED=${seed} ${caller.name} at ${at.name}, turn ${round}`;
        const results = waiting.map((one) => ({ call: one, text: randomText(random) }));
        turns.push(results.length > 0 ? { by: "tools", results } : { by: "user", text: randomText(random) });
        const isStream = random(2) === 0;
        const question = { system: "Be brief.", turns, tools: toolNames, thinks: true, isStream };
        const call = callOf(caller, at, question, {
          ...{ memory: here, seal },
          ...(random(2) === 0 ? { outputTokensMax: 100 + random(100) } : {}),
        });
        if (call.isPassing) break;
        const translation = threaded(call, at, there);
        const sent = await buildThreadedCall(
          { tokens, media },
          { ...call.target, memory: there },
          { session: translation.session, request: translation.request },
          new Promise(() => {}),
        );
        assert.equal(sent.body.toString(), call.sent.body.toString(), note);
        assert.deepEqual({ ...sent, body: 0 }, { dropped: undefined, ...call.sent, body: 0 }, note);
        const { end: _, ...any } = randomAnswer(random, called);
        const thoughts = any.thoughts ?? (any.calls?.length === 0 ? undefined : "Hm.");
        const said: Answer =
          thoughts === undefined ? any : { ...any, thoughts, opaque: any.opaque ?? randomOpaque(random) };
        const played = {
          pieces: cutAtRandom(isStream ? at.stream(said) : [at.whole(said)], random),
          // Bytes of a whole answer that breaks off are not translated.
          breaks: random(6) === 0,
          type: isStream ? at.streamType : "application/json",
        };
        const own = await answer(call, at, played);
        const other = await answer(call, at, played, { threaded: translation });
        assert.equal(sealless(other.text), sealless(own.text), note);
        assert.equal(sealless(other.before), sealless(own.before), note);
        assert.deepEqual(
          [other.end.kind, other.status, other.usage],
          [own.end.kind, own.status, own.usage],
          note,
        );
        if ("delivered" in own.end && "delivered" in other.end)
          assert.deepEqual(other.end.delivered, own.end.delivered, note);
        translation.session.close();
        if (played.breaks) {
          turns.pop();
          continue;
        }
        const got = caller.read(own.text, isStream);
        for (const { id } of got.calls) assert.equal(there.recall(id), here.recall(id), note);
        waiting = got.calls;
        called += got.calls.length;
        // Some clients send nothing back but what they know.
        const replay = random(2) === 0 ? { replay: got.replay } : {};
        turns.push({ by: "model", answer: { ...said, thoughts: "", opaque: "" }, ...replay });
      }
    }
  });

test("what is refused is refused with the same words and the same parameter", async () => {
  const odd = [
    { messages: [{ role: "nobody", content: "x" }] },
    { messages: [{ role: "user", content: [{ type: "odd" }] }] },
    { messages: "x" },
    { messages: [{ role: "user", content: "x" }], n: 3, stop: 5 },
    { messages: [{ role: "user", content: "x" }], tools: [{ type: "function" }] },
    { messages: [{ role: "user", content: "x" }], response_format: { type: "odd" } },
  ];
  const [chat] = pairCallers.filter(({ name }) => name === "chat");
  const at = pairUpstreams.find(({ name }) => name === "messages");
  assert.ok(chat !== undefined && at !== undefined);
  const question = { turns: [{ by: "user", text: "x" }], isStream: false } as const;
  const whole = callOf(chat, at, question);
  for (const fields of odd) {
    const body = Buffer.from(JSON.stringify({ model: "m", max_tokens: 5, ...fields }));
    const call: Call = { ...whole, request: { ...whole.request, body } };
    const translation = threaded(call, at, withStore(createTestMemory()));
    const { single } = call.way;
    let own: Untranslatable | undefined;
    try {
      single?.encode(call.request, call.target.upstream, "k", "m");
    } catch (error) {
      assert.ok(error instanceof Untranslatable);
      own = error;
    }
    assert.ok(own !== undefined, body.toString());
    const refused = { code: own.code, message: own.message, param: own.param };
    const parts = { session: translation.session, request: translation.request };
    await assert.rejects(
      buildThreadedCall({ tokens, media }, call.target, parts, new Promise(() => {})),
      (error: unknown) => {
        assert.ok(error instanceof CallRefused, String(error));
        const { kind, message, param } = error.fault;
        const code = kind === "unsupported" ? "unsupported_parameter" : "invalid_request";
        assert.deepEqual({ code, message, param }, refused);
        return true;
      },
    );
    translation.session.close();
  }
});

test("a large whole answer to a small request is translated in a thread, a small one is not", async () => {
  const own = new TranslationThreads();
  for (const caller of pairCallers)
    for (const at of pairUpstreams.filter(({ name }) => name === "messages" || name === "gemini")) {
      const call = callOf(caller, at, { turns: [{ by: "user", text: "x" }], isStream: false });
      if (call.isPassing) continue;
      const type = "application/json";
      const small = { type, pieces: [at.whole({ text: "x" })] };
      const count = own.count;
      await answer(call, at, small, { threads: own });
      assert.equal(own.count, count);
      const whole = at.whole({ text: `${"large 😀 ".repeat(100_000)}.` });
      const large = { type, pieces: [whole.subarray(0, 99_999), whole.subarray(99_999)] };
      const here = await answer(call, at, large);
      const there = await answer(call, at, large, { threads: own });
      assert.equal(own.count, 1);
      assert.deepEqual([there.end.kind, there.usage, there.text], [here.end.kind, here.usage, here.text]);
      assert.ok(here.text.length > 500_000, `${caller.name} at ${at.name}`);
      const broken = { type, pieces: [whole.subarray(0, -9)] };
      const [noneHere, noneThere] = [
        await answer(call, at, broken),
        await answer(call, at, broken, { threads: own }),
      ];
      assert.deepEqual(noneThere.end, noneHere.end);
    }
  own.stop();
});

test("a thread that dies while it has an answer fails that call, as Plaza's own fault", async () => {
  const dying = new TranslationThreads({
    start: () => new Worker("process.exit(3)", { eval: true }),
  });
  const [chat] = pairCallers.filter(({ name }) => name === "chat");
  const at = pairUpstreams.find(({ name }) => name === "gemini");
  assert.ok(chat !== undefined && at !== undefined);
  for (const isStream of [false, true]) {
    const call = callOf(chat, at, { turns: [{ by: "user", text: "x" }], isStream });
    const translation = threaded(call, at, withStore(createTestMemory()), dying);
    const said = { text: "x" };
    const { end, status } = await answer(
      call,
      at,
      {
        type: isStream ? at.streamType : "application/json",
        pieces: isStream ? at.stream(said) : [at.whole(said)],
      },
      { threaded: translation },
    );
    assert.ok(end.kind === "fault");
    assert.equal(end.fault.kind, "stopping");
    assert.equal(status, 503);
  }
});

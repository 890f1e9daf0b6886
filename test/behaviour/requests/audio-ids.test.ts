/**
 * Audio of an answer in chat, which the upstream keeps and a later request names by its id: for the account
 * that got it, at the upstream that has it, and for no other account.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { assertErrorBody } from "../harness/caller.ts";
import { completion, streamOf } from "../harness/openai-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

let first: ScriptedUpstream;
let second: ScriptedUpstream;
let app: TestApp;
let account: TestAccount;

before(async () => {
  first = await startScriptedUpstream();
  second = await startScriptedUpstream();
  app = await startApp({
    catalog: {
      upstreams: [upstreamAt("a", first.baseUrl), upstreamAt("b", second.baseUrl)],
      models: [modelOn("both", ["a", "b"]), modelOn("only-b", ["b"]), modelOn("only-a", ["a"])],
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  await first?.stop();
  await second?.stop();
});

const question = { role: "user", content: "Say hello." };
const ask = (body: object, from = account): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/chat/completions`,
    key: from.key,
    body: JSON.stringify({ model: "both", messages: [question], ...body }),
  });
const textOf = ({ body }: Seen): string => body.toString("utf8");
const plain = { body: completion({ message: { content: "ok" } }) };
const always = (answer: ScriptedAnswer) => Array<ScriptedAnswer>(20).fill(answer);

const speaking = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } };
const naming = (id: unknown) => ({ messages: [question, { role: "assistant", audio: { id } }, question] });

async function assertUnknown(body: object, from = account): Promise<void> {
  first.answerWith(plain);
  second.answerWith(plain);
  const seen = await ask(body, from);
  assert.equal(seen.status, 404, textOf(seen));
  assertErrorBody(textOf(seen), { code: "not_found", param: "messages[1].audio.id" });
  assert.equal(first.calls.length + second.calls.length, 0);
}

describe("audio by its id", () => {
  for (const isStream of [false, true])
    test(`that an answer told, ${isStream ? "streamed" : "whole"}`, async () => {
      const id = `audio_${isStream}`;
      await assertUnknown(naming(id));
      const whole = { id, data: "UklGRg==", expires_at: 1_760_000_000, transcript: "Hello." };
      const deltas = [
        { audio: { id, transcript: "Hel" } },
        { audio: { data: "Uk" } },
        { audio: { expires_at: 1 } },
      ];
      second.answerWith(
        isStream ? { events: streamOf(deltas) } : { body: completion({ message: { audio: whole } }) },
      );
      const said = await ask({ model: "only-b", ...speaking, stream: isStream });
      assert.equal(said.status, 200, textOf(said));
      assert.match(textOf(said), new RegExp(id));
      first.answerWith(...always(plain));
      second.answerWith(...always(plain));
      for (let turn = 0; turn < 4; turn += 1) {
        const seen = await ask(naming(id));
        assert.equal(seen.status, 200, textOf(seen));
      }
      assert.equal(first.calls.length, 0);
      assert.equal(second.calls.length, 4);
      assert.deepEqual(second.calls[0]?.body["messages"], naming(id).messages);
      await assertUnknown(naming(id), await app.newAccount("100"));
      await assertUnknown({ ...naming(id), model: "only-a" });
    });

  test("that nobody got, or that is none", async () => {
    for (const id of ["audio_other", 5, "x".repeat(600)]) await assertUnknown(naming(id));
  });
});

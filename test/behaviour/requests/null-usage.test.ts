/**
 * `"usage":null` in a stream's chunks is sent only to callers that asked for usage, although upstreams are
 * always asked.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventTexts, sendChat } from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream } from "../harness/catalogs.ts";
import { streamOf } from "../harness/openai-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let product: Product;
let upstream: ScriptedUpstream;
let key: string;

before(async () => {
  upstream = await startScriptedUpstream();
  product = await startProduct({
    catalog: {
      upstreams: [demoUpstream, openaiUpstream("scripted", upstream.baseUrl)],
      models: [model("demo", ["demo", "demo"]), model("m", ["scripted", "m"])],
    },
  });
  key = (await product.createKey(await product.createAccount())).key;
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

type Chunk = Readonly<Record<string, unknown>> & { readonly choices: readonly unknown[] };

async function chunksOf(modelId: string, more: object): Promise<Chunk[]> {
  const messages = [{ role: "user", content: "Say a few words." }];
  const answer = await sendChat(product.origin, key, { model: modelId, messages, stream: true, ...more });
  assert.equal(answer.status, 200, answer.text);
  const texts = eventTexts(answer.text);
  assert.equal(texts.pop(), "[DONE]");
  return texts.map((text) => JSON.parse(text) as Chunk);
}

/** As in OpenAI's streams: usage at the end, null before, and padding after it. */
const events = streamOf([{ content: "usage" }, { content: ' said: "usage":null' }, { content: "" }]).map(
  (event) =>
    typeof event === "object" && event !== null && (event as Chunk).choices.length > 0
      ? { ...event, usage: null, obfuscation: "a}b" }
      : event,
);
const told = events.filter((event): event is Chunk => typeof event === "object" && event !== null);

test("a caller who asked gets every chunk as the upstream wrote it", async () => {
  upstream.answerWith({ events });
  assert.deepEqual(await chunksOf("m", { stream_options: { include_usage: true } }), told);
});

test("nobody else sees a usage, and nothing besides is missing", async () => {
  for (const options of [undefined, null, {}, { include_usage: false }, { include_usage: null }]) {
    upstream.answerWith({ events });
    const chunks = await chunksOf("m", options === undefined ? {} : { stream_options: options });
    assert.deepEqual(
      chunks,
      told.filter(({ choices }) => choices.length > 0).map(({ usage: _, ...chunk }) => chunk),
    );
    const { stream_options: sent } = upstream.calls[0]?.body ?? {};
    assert.equal((sent as { include_usage?: unknown } | undefined)?.include_usage, true);
  }
});

test("the demo does likewise", async () => {
  for (const chunk of await chunksOf("demo", {})) assert.ok(!("usage" in chunk));
  const asked = await chunksOf("demo", { stream_options: { include_usage: true } });
  assert.ok(asked.slice(0, -1).every((chunk) => chunk["usage"] === null));
  assert.equal(typeof asked.at(-1)?.["usage"], "object");
});

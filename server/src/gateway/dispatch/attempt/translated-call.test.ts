/** Files fetched for one request are limited in number and total bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openaiChat } from "../../../protocols/openai-chat/answers/answers.ts";
import { findProvider, loadProviders } from "../../../providers/index.ts";
import type { HttpProvider } from "../../../providers/provider.ts";
import type { Media } from "../../upstreams/media.ts";
import type { Tokens } from "../../upstreams/tokens.ts";
import { CallRefused } from "../fault-error.ts";
import { chatCodecOf, requestOf, upstreamOf } from "../testing/fixture-rig.ts";
import { bindTranslation, buildCall } from "./translated-call.ts";

await loadProviders(["google"]);
const provider = findProvider("google") as HttpProvider;
const mib = 1024 * 1024;

/** Builds a call with `count` files of `bytes` bytes. Returns its fault and how many files were fetched. */
async function build(count: number, bytes: number) {
  let fetched = 0;
  const media: Media = {
    async fetch() {
      fetched += 1;
      return { mediaType: "image/png", bytes: Buffer.alloc(bytes) };
    },
  };
  const tokens: Tokens = { get: (_scheme, _upstream, credential) => credential, forget() {} };
  const content = Array.from({ length: count }, (_, index) => ({
    type: "image_url",
    image_url: { url: `https://files.test/${index}.png` },
  }));
  const request = requestOf({ model: "m", messages: [{ role: "user", content }] });
  const target = {
    protocol: openaiChat,
    provider,
    codec: chatCodecOf(provider),
    upstream: upstreamOf(provider),
    credential: "k",
    model: "gemini-2.5-flash",
  };
  try {
    await buildCall({ media, tokens }, target, request, new Promise(() => {}));
    return { fault: undefined, fetched };
  } catch (error) {
    assert.ok(error instanceof CallRefused, String(error));
    return { fault: error.fault, fetched };
  }
}

test("as many files as may be are fetched, each once", async () => {
  assert.deepEqual(await build(20, 10), { fault: undefined, fetched: 20 });
});

test("one file more, and none is fetched: the request is refused, naming it", async () => {
  const { fault, fetched } = await build(21, 10);
  assert.deepEqual(
    [fault?.kind, fault?.param, fetched],
    ["bad_request", "messages[0].content[20].image_url.url", 0],
  );
});

test("files that are too large together are refused, and the rest is not fetched", async () => {
  const { fault, fetched } = await build(10, 12 * mib);
  assert.deepEqual(
    [fault?.kind, fault?.param, fetched],
    ["bad_request", "messages[0].content[2].image_url.url", 3],
  );
});

test("a stream of a request that cannot be read is refused where its call is built, naming the field", async () => {
  const codec = chatCodecOf(provider);
  const request = requestOf({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    stream: true,
    max_tokens: 5,
    max_completion_tokens: -1,
  });
  const answer = { model: "gemini-2.5-flash", request, id: "chatcmpl-1" };
  const translation = codec.translation ?? assert.fail();
  const translator = bindTranslation(translation, answer).stream();
  assert.match(translator.push(Buffer.from("data: {}\n\n")).toString(), /^event: error\n/);
  assert.match(translator.end().toString(), /^event: error\n/);
  const tokens: Tokens = { get: (_scheme, _upstream, credential) => credential, forget() {} };
  const media: Media = { fetch: () => assert.fail() };
  const target = { protocol: openaiChat, provider, codec, upstream: upstreamOf(provider), credential: "k" };
  const built = async () =>
    buildCall({ media, tokens }, { ...target, model: answer.model }, request, new Promise(() => {}));
  await assert.rejects(built, (error) => {
    assert.ok(error instanceof CallRefused, String(error));
    assert.deepEqual([error.fault.kind, error.fault.param], ["bad_request", "max_completion_tokens"]);
    return true;
  });
});

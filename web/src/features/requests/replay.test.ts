/** A request is repeated without a secret, and what is not known of it is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { curlOf, playgroundLink, type ReplayedRequest } from "./replay.ts";

const request: ReplayedRequest = {
  id: "req_1",
  model: "vendor/it's",
  operation: "chat",
  keyId: "key_1",
  isStream: true,
};
const words = { prompt: "…", note: "No prompt\nis stored." };
const base = "https://plaza.example/v1";

test("the call has the model quoted for a shell, a placeholder, and the key from the environment", () => {
  const text = curlOf(request, base, words) ?? "";
  assert.match(text, /^# No prompt is stored\.\ncurl -N 'https:\/\/plaza\.example\/v1\/chat\/completions'/);
  assert.match(text, /\$PLAZA_API_KEY/);
  assert.doesNotMatch(text, /key_1|sk-plaza/);
  assert.ok(text.includes("vendor/it'\\''s"));
});

test("embeddings have an input; what has no sample, or named no model, has no call", () => {
  const text = curlOf({ ...request, operation: "embeddings", isStream: false }, base, words) ?? "";
  assert.match(text, /"input": "…"/);
  assert.doesNotMatch(text, /stream|messages/);
  assert.equal(curlOf({ ...request, operation: "image" }, base, words), undefined);
  assert.equal(curlOf({ ...request, model: null }, base, words), undefined);
});

test("the playground gets what is known; another account's key is not named", () => {
  assert.equal(
    playgroundLink(request, true),
    "/playground?model=vendor%2Fit%27s&key=key_1&stream=1&replay=req_1",
  );
  assert.doesNotMatch(playgroundLink(request, false) ?? "", /key_1/);
  assert.equal(playgroundLink({ ...request, operation: "completion" }, true), undefined);
});

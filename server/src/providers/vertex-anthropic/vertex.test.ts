/**
 * Claude on Vertex AI beyond the fixtures: addresses, headers, tokens, files given by URL, the list of
 * models.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Upstream } from "@plaza/contract/catalog.ts";
import { requestOf, upstreamOf } from "../../gateway/dispatch/testing/fixture-rig.ts";
import { anthropicDescriptor } from "../anthropic/descriptor.ts";
import { hello, user } from "../anthropic/fixtures/build.ts";
import { findListing } from "../index.ts";
import { translatedChat } from "../testing/translated-chat.ts";
import { vertexAnthropicDescriptor } from "./descriptor.ts";
import { vertexAnthropic as provider } from "./vertex-anthropic.ts";

const place = "projects/my-project/locations";
const regional = `https://us-east5-aiplatform.googleapis.com/v1/${place}/us-east5/publishers/anthropic`;
const model = "claude-sonnet-4-5@20250929";

const at = (baseUrl: string, more: Partial<Upstream> = {}): Upstream =>
  upstreamOf(provider, { baseUrl, ...more });

function callOf(upstream: Upstream, body: object = {}, credential = "ya29.secret") {
  const request = requestOf({ model, messages: hello, ...body });
  return translatedChat(provider).encode(request, upstream, credential, model);
}

function headersOf(flat: readonly string[]): Record<string, string> {
  const pairs = Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

test("the model and the method stand in the path, of regions, areas and the global place alike", () => {
  for (const [baseUrl, before] of [
    [regional, `/v1/${place}/us-east5/publishers/anthropic`],
    [
      `https://aiplatform.googleapis.com/v1/${place}/global/publishers/anthropic`,
      `/v1/${place}/global/publishers/anthropic`,
    ],
    [
      `https://aiplatform.eu.rep.googleapis.com/v1/${place}/eu/publishers/anthropic/`,
      `/v1/${place}/eu/publishers/anthropic`,
    ],
    ["https://proxy.example/vertex/publishers/anthropic", "/vertex/publishers/anthropic"],
  ] as const) {
    assert.equal(callOf(at(baseUrl)).path, `${before}/models/${model}:rawPredict`);
    assert.equal(callOf(at(baseUrl), { stream: true }).path, `${before}/models/${model}:streamRawPredict`);
  }
});

test("Google's token is the credential; Anthropic's headers do not go out, flags do", () => {
  const { headers } = callOf(at(regional, { options: { beta: "context-1m-2025-08-07" } }), { stream: true });
  assert.deepEqual(headersOf(headers), {
    "content-type": "application/json",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "plaza/0.1",
    authorization: "Bearer ya29.secret",
    "anthropic-beta": "context-1m-2025-08-07",
  });
});

test("a service account's key is never in a probe; files are inlined", () => {
  assert.equal(headersOf(provider.probe().headers)["authorization"], undefined);
  assert.equal(translatedChat(provider).inlinesMedia, true);
  const url = "https://files.example/cat.png";
  const request = requestOf(
    { model, messages: [user([{ type: "image_url", image_url: { url } }])] },
    { media: new Map([[url, { mediaType: "image/png", bytes: Buffer.from("cat") }]]) },
  );
  const { body } = translatedChat(provider).encode(request, at(regional), "t", model);
  const { messages } = JSON.parse(body.toString());
  const source = { type: "base64", media_type: "image/png", data: Buffer.from("cat").toString("base64") };
  assert.deepEqual(messages[0].content, [{ type: "image", source }]);
});

test("what the publisher has is listed at the place's own host, page by page", () => {
  const call = provider.list(at(regional), "ya29.secret");
  assert.equal(call.path, "/v1beta1/publishers/anthropic/models");
  assert.equal(headersOf(call.headers)["authorization"], "Bearer ya29.secret");
  const listing = findListing(provider.id) ?? assert.fail();
  assert.equal(listing.path(call.path, undefined), "/v1beta1/publishers/anthropic/models?pageSize=1000");
  assert.equal(
    listing.path(call.path, "a b"),
    "/v1beta1/publishers/anthropic/models?pageSize=1000&pageToken=a+b",
  );
  const page = {
    publisherModels: [
      { name: "publishers/anthropic/models/claude-opus-4-7", versionId: "default" },
      { name: "publishers/anthropic/models/claude-sonnet-4-5", versionId: "20250929" },
      { name: "publishers/anthropic/models/claude-x@1", versionId: "1" },
      { name: 7 },
    ],
    nextPageToken: "n",
  };
  assert.deepEqual(listing.read(page), {
    models: [{ name: "claude-opus-4-7" }, { name: "claude-sonnet-4-5@20250929" }, { name: "claude-x@1" }],
    next: "n",
  });
  assert.deepEqual(listing.read({}), { models: [] });
  assert.equal(listing.read({ error: {} }), undefined);
  assert.equal(listing.mayBeForbidden, true);
  // A proxy whose path is not Google's is asked at its root.
  assert.equal(
    provider.list(at("https://proxy.example/vertex/publishers/anthropic"), "t").path,
    "/v1beta1/publishers/anthropic/models",
  );
});

test("a file counts as many tokens as at Anthropic, whose models these are", () => {
  assert.equal(vertexAnthropicDescriptor.mediaRule, anthropicDescriptor.mediaRule);
});

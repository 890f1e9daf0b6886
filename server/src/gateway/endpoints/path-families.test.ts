/** Which format a path's clients read, to the letter of the path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalPath, formatMeant, formatOfPath, isCallersPath } from "./path-families.ts";

test("a family is its path and what is below it, and nothing that only begins alike", () => {
  const rows: readonly (readonly [path: string, idPrefix: string | undefined])[] = [
    ["/v1/messages", "msg_"],
    ["/v1/messages/", "msg_"],
    ["/v1/messages/count_tokens", "msg_"],
    ["/v1/v1/messages", "msg_"],
    ["/anthropic/v1/messages", "msg_"],
    ["/v1/responses", "resp_"],
    ["/v1/responses/resp_1/input_items", "resp_"],
    ["/openai/v1/responses", "resp_"],
    ["/openai/v1/messages", "msg_"],
    ["/openai/responses/resp_1", "resp_"],
    ["/openai/responsesx", undefined],
    ["/v1beta/models/m:generateContent", ""],
    ["/v1/models/a/b:free:streamGenerateContent", ""],
    ["/v1/models/m%3acountTokens", ""],
    ["/v1beta1/publishers/google/models/m:generateContent", ""],
    ["/upload/v1beta/files", ""],
    ["/v1alpha/models/m:generateContent", ""],
    ["/v1alphax/models", undefined],
    ["/v1/complete", "msg_"],
    ["/v1beta12/models", undefined],
    ["/v1/models/m:free", undefined],
    ["/v1/models/m", undefined],
    ["/v1beta/openai/chat/completions", undefined],
    ["/v1/messagesx", undefined],
    ["/v1/responses.json", undefined],
    ["/v1betax/models", undefined],
    ["/v1/chat/completions", undefined],
    ["/openai/deployments/m/chat/completions", undefined],
    ["/", undefined],
    ["", undefined],
  ];
  for (const [path, idPrefix] of rows) assert.equal(formatOfPath(path, {})?.idPrefix, idPrefix, path);
});

test("the list of models, and what is below it, is told in the format of the client's headers", () => {
  const google = { "x-goog-api-key": "k" };
  const anthropic = { "anthropic-version": "2023-06-01" };
  for (const path of [
    "/v1/models",
    "/v1/models/",
    "/v1/models/a/b",
    "/openai/v1/models/m",
    "/openai/models",
  ]) {
    assert.equal(formatOfPath(path, google)?.idPrefix, "", path);
    assert.equal(formatOfPath(path, anthropic)?.idPrefix, "msg_", path);
    assert.equal(formatOfPath(path, { ...google, ...anthropic })?.idPrefix, "", path);
    assert.equal(formatOfPath(path, { "x-api-key": "k" }), undefined, path);
  }
  for (const path of ["/v1/modelsx", "/v1/model", "/v1/chat/completions", "/v1/embeddings"])
    for (const headers of [google, anthropic]) assert.equal(formatOfPath(path, headers), undefined, path);
  assert.equal(formatOfPath("/v1/responses", anthropic)?.idPrefix, "resp_");
});

test("whatever a wrong base URL has before it, the end of a path tells the client's format", () => {
  const rows: readonly (readonly [path: string, idPrefix: string | undefined])[] = [
    ["/messages", "msg_"],
    ["/v1/messages/v1/messages", "msg_"],
    ["/v1/messages/v1/messages/count_tokens", "msg_"],
    ["/x/messages/", "msg_"],
    ["/responses", "resp_"],
    ["/v1/responses/responses", "resp_"],
    ["/models/m:streamGenerateContent", ""],
    ["/v1/v1beta/models/m%3AcountTokens", ""],
    ["/models/m", undefined],
    ["/messagesx", undefined],
    ["/xmessages", undefined],
    ["/v1/messages/batches", undefined],
    ["/chat/completions", undefined],
  ];
  for (const [path, idPrefix] of rows) assert.equal(formatMeant(path)?.idPrefix, idPrefix, path);
});

test("callers' paths are those of the endpoints, not the console's", () => {
  for (const path of ["/v1beta1/x", "/v1alpha/x", "/upload/v1beta/files"])
    assert.ok(isCallersPath(path), path);
  for (const path of ["/v1/models", "/v1beta/models", "/openai/v1/responses", "/anthropic/v1/messages"])
    assert.ok(isCallersPath(path), path);
  for (const path of ["/", "/v1", "/v1beta", "/models", "/api/keys", "/openai", "/v1betax/y", ""])
    assert.ok(!isCallersPath(path), path);
});

test("other spellings of a path mean ours, to the letter", () => {
  const rows: readonly (readonly [given: string, meant: string])[] = [
    ["/openai/v1/chat/completions", "/v1/chat/completions"],
    ["/openai/v1/models/m", "/v1/models/m"],
    ["/openai/models", "/v1/models"],
    ["/openai/responses/r/input_items", "/v1/responses/r/input_items"],
    ["/v1beta/openai/embeddings", "/v1/embeddings"],
    ["/openai/modelsx", "/openai/modelsx"],
    ["/openai/v1", "/openai/v1"],
    ["/openai/deployments/m/embeddings", "/openai/deployments/m/embeddings"],
    ["/openai/openai/v1/models", "/openai/openai/v1/models"],
    ["/v1/openai/models", "/v1/openai/models"],
    ["/v1beta/models", "/v1beta/models"],
    ["/v1alpha/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["/v1alpha", "/v1alpha"],
    ["/v1alphax/models", "/v1alphax/models"],
  ];
  for (const [given, meant] of rows) assert.equal(canonicalPath(given), meant, given);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { apiRoutes } from "@plaza/contract/api/index.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { operationPaths, servedPaths } from "@plaza/contract/operations.ts";
import { findMissingPath, missingPaths } from "./missing-paths.ts";

/** The English help for a path; empty without a row. */
function helpFor(path: string): string {
  const row = findMissingPath(path);
  return row === undefined ? "" : textOf(row.help);
}

test("what real clients call finds its row", () => {
  const rows: readonly (readonly [path: string, row: string | undefined])[] = [
    ["/chat/completions", "/chat/completions"],
    ["/chat/completions/", "/chat/completions"],
    ["/models", "/models"],
    ["/v1/v1/chat/completions", "/v1/v1/*"],
    ["/v1//chat/completions", "/v1//*"],
    ["//v1/messages", "//*"],
    ["/v1/v1/messages", "/v1/v1/messages/*"],
    ["/v1/v1/messages/count_tokens", "/v1/v1/messages/*"],
    ["/v1/messages/v1/messages", "/v1/messages/v1/*"],
    ["/v1/v1/models/m:generateContent", "/v1/v1/models/*"],
    ["/v1/v1beta/models/m:generateContent", "/v1/v1beta/*"],
    ["/v1beta/v1beta/models/m:generateContent", "/v1beta/v1beta/*"],
    ["/v1beta/v1/models/m:generateContent", "/v1beta/v1/*"],
    ["/models/m:streamGenerateContent", "/models/{model}"],
    ["/v1/responses", "/v1/responses/*"],
    ["/v1/responses/resp_1/cancel", "/v1/responses/*"],
    ["/v1/messages/batches", "/v1/messages/*"],
    ["/v1/engines/davinci/completions", "/v1/engines/{model}/*"],
    ["/openai/deployments/gpt-5/chat/completions", "/openai/deployments/{model}/*"],
    ["/openai/v1/chat/completions", "/openai/*"],
    ["/v1beta/models/gemini-3:streamGenerateContent", "/v1beta/*"],
    ["/api/chat", "/api/chat"],
    ["/api/v1/chat/completions", "/api/v1/*"],
    ["/v1/audio/translations", "/v1/audio/translations"],
    ["/nope", undefined],
    ["/v1/responsesx", undefined],
    ["/v1betax", undefined],
    ["/api/keys", undefined],
    [`/v1/responses/${"x".repeat(1_000)}`, undefined],
  ];
  for (const [path, row] of rows) assert.equal(findMissingPath(path)?.path, row, path);
});

test("of every served path there is a row for a base URL without /v1, and for one with the whole path", () => {
  for (const path of servedPaths) {
    const rest = path.slice("/v1".length);
    assert.match(helpFor(rest), /so that it ends in \/v1: this call lacks it/, rest);
    const twice = helpFor(`${path}${rest}`);
    assert.ok(twice.includes(`without ${rest}:`), `${path}: ${twice}`);
  }
});

test("rows of other formats name every path that is served, and no text knows of chat alone", () => {
  const help = helpFor("/v1/engines/x/completions");
  for (const served of servedPaths) assert.ok(help.includes(served), help);
  for (const { path, help } of missingPaths)
    assert.doesNotMatch(textOf(help), /serves chat completions/, path);
});

test("the path of an operation is missing where this version does not serve it, and not where it does", () => {
  for (const { path, isServed } of Object.values(operationPaths))
    assert.equal(findMissingPath(path) === undefined, isServed, path);
});

test("no row stands before another's path, and none is of the console's own API", () => {
  for (const { path } of missingPaths) {
    const example = path.replace(/\{\w+\}/g, "x").replace("*", "x");
    assert.equal(findMissingPath(example)?.path, path, example);
  }
  for (const { path } of Object.values(apiRoutes))
    assert.equal(findMissingPath(`/api${path}`), undefined, path);
});

test("what OpenAI and Anthropic store is named, and no base URL is blamed", () => {
  for (const path of [
    "conversations",
    "conversations/conv_1/items",
    "vector_stores",
    "containers",
    "skills/s",
  ]) {
    const help = helpFor(`/v1/${path}`);
    assert.match(help, /^Plaza (?:stores no|does not serve)/, path);
    assert.doesNotMatch(help, /base URL/, path);
  }
  assert.match(helpFor("/v1/complete"), /messages\.create/);
});

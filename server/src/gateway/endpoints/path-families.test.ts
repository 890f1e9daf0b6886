/** Which format a path's clients read, to the letter of the path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatOfPath, isCallersPath } from "./path-families.ts";

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
    ["/v1beta/models/m:generateContent", ""],
    ["/v1/messagesx", undefined],
    ["/v1/responses.json", undefined],
    ["/v1betax/models", undefined],
    ["/v1/chat/completions", undefined],
    ["/openai/deployments/m/chat/completions", undefined],
    ["/", undefined],
    ["", undefined],
  ];
  for (const [path, idPrefix] of rows) assert.equal(formatOfPath(path)?.idPrefix, idPrefix, path);
});

test("callers' paths are those of the endpoints, not the console's", () => {
  for (const path of ["/v1/models", "/v1beta/models", "/openai/v1/responses", "/anthropic/v1/messages"])
    assert.ok(isCallersPath(path), path);
  for (const path of ["/", "/v1", "/v1beta", "/models", "/api/keys", "/openai", "/v1betax/y", ""])
    assert.ok(!isCallersPath(path), path);
});

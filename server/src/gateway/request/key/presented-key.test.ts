/** Which header or parameter the key is read from, and what happens when they contradict each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createApiKey } from "../../../domain/keys/api-key.ts";
import { presentedKey, withoutKey } from "./presented-key.ts";

const newKey = (seed: number): string => createApiKey((count) => Buffer.alloc(count, seed)).secret;

interface Row {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly query?: string;
}

const found = ({ headers = {}, path = "/v1/messages", query = "" }: Row): string | undefined =>
  presentedKey({ headers, path, query });

test("a key may come in the headers of Azure's, Anthropic's and Google's clients", () => {
  const rows: readonly (readonly [headers: Record<string, string>, presented: string | undefined])[] = [
    [{ authorization: "Bearer a" }, "Bearer a"],
    [{ "x-api-key": "a" }, "Bearer a"],
    [{ "api-key": "a" }, "Bearer a"],
    [{ "x-goog-api-key": "a" }, "Bearer a"],
    [{ "x-api-key": "Bearer a" }, "Bearer a"],
    [{ authorization: "Bearer a", "x-api-key": "b", "api-key": "c", "x-goog-api-key": "d" }, "Bearer a"],
    [{ authorization: "bearer a", "x-api-key": "b" }, "bearer a"],
    [{ "x-api-key": "b", "api-key": "c" }, "Bearer b"],
    [{ "x-api-key": "", "api-key": "c" }, "Bearer c"],
    // A scheme of a proxy, or a scheme without a key: the other header is used.
    [{ authorization: "Basic eDp5", "x-api-key": "b" }, "Bearer b"],
    [{ authorization: "Bearer", "api-key": "b" }, "Bearer b"],
    [{ authorization: "Basic eDp5" }, "Basic eDp5"],
    [{}, undefined],
  ];
  for (const [headers, presented] of rows)
    assert.equal(found({ headers }), presented, JSON.stringify(headers));
});

test("the query is read on Gemini's paths alone, behind the headers", () => {
  const query = "alt=sse&key=a%2Bb";
  const path = "/v1beta/models/m:generateContent";
  assert.equal(found({ path, query }), "Bearer a+b");
  assert.equal(found({ path: path.replace("beta", "alpha"), query }), "Bearer a+b");
  assert.equal(found({ path, query: "key=" }), undefined);
  assert.equal(found({ path, query: "monkey=a" }), undefined);
  assert.equal(found({ path, query, headers: { "x-goog-api-key": "c" } }), "Bearer c");
  assert.equal(found({ path, query, headers: { authorization: "Basic x" } }), "Bearer a+b");
  for (const other of ["/v1/messages", "/v1/chat/completions", "/v1betax/models", "/v1/v1beta/models"])
    assert.equal(found({ path: other, query }), undefined, other);
});

test("two keys of ours that differ are refused by their places, whatever else stands there is not ours", () => {
  const [one, two] = [newKey(1), newKey(2)];
  const path = "/v1beta/models";
  const rows: readonly (readonly [row: Row, first: string, other: string])[] = [
    [{ headers: { authorization: `Bearer ${one}`, "x-api-key": two } }, "Authorization", "x-api-key"],
    [{ headers: { authorization: "Bearer of-a-proxy", "api-key": two } }, "Authorization", "api-key"],
    [{ headers: { "x-api-key": one, "x-goog-api-key": two } }, "x-api-key", "x-goog-api-key"],
    [{ headers: { "x-api-key": one }, path, query: `key=${two}` }, "x-api-key", "\\?key="],
  ];
  for (const [row, first, other] of rows)
    assert.throws(
      () => found(row),
      (error: { code: string; message: string }) => {
        assert.equal(error.code, "invalid_api_key");
        const said = `^Incorrect API key provided: ${first} and ${other} hold different keys\\.`;
        assert.match(error.message, new RegExp(said));
        assert.ok(!error.message.includes(one) && !error.message.includes(two));
        return true;
      },
    );
  const same: readonly Row[] = [
    { headers: { authorization: `Bearer ${one}`, "x-api-key": one, "api-key": `bearer ${one}` } },
    { headers: { authorization: `Bearer ${one}`, "x-api-key": "sk-ant-of-another-service" } },
    { headers: { authorization: `Bearer ${one}` }, path, query: `key=${one}` },
  ];
  for (const row of same) assert.equal(found(row), `Bearer ${one}`, JSON.stringify(row));
});

test("a query is told without its key", () => {
  assert.equal(withoutKey("key=a"), "");
  assert.equal(withoutKey("key=a&alt=sse"), "alt=sse");
  assert.equal(withoutKey("alt=sse&key=a&x=1&key=b"), "alt=sse&x=1");
  assert.equal(withoutKey("alt=sse&monkey=a"), "alt=sse&monkey=a");
});

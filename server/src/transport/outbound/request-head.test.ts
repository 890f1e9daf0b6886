import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequestHeads } from "./request-head.ts";

const post = { method: "POST", target: "/v1/chat/completions" } as const;
const headers = (credential: string): string[] => [
  "authorization",
  credential,
  "accept",
  "text/event-stream",
];
const headOf = (credential: string, bytes: number): string =>
  "POST /v1/chat/completions HTTP/1.1\r\nhost: upstream:8000\r\nconnection: keep-alive\r\n" +
  `authorization: ${credential}\r\naccept: text/event-stream\r\ncontent-length: ${bytes}\r\n\r\n`;

test("a head is that of its own call, whatever was sent before", () => {
  const heads = createRequestHeads("upstream:8000");
  // More credentials than are kept, each at different times after its first use.
  for (let turn = 0; turn < 60; turn++) {
    const credential = `Bearer ${(turn * 7) % 11}`;
    // Made, then found, then found again in one piece.
    for (const bytes of [turn, 10 * turn, 3]) {
      assert.equal(heads(post, headers(credential), bytes), headOf(credential, bytes));
    }
  }
  assert.equal(
    heads({ ...post, target: "/v1/embeddings" }, headers("b"), 1)?.split(" ")[1],
    "/v1/embeddings",
  );
  assert.equal(
    heads({ method: "GET", target: post.target }, headers("b"), undefined),
    headOf("b", 0).replace("POST", "GET").replace("content-length: 0\r\n", ""),
  );
});

test("a list that is changed after its call is another one", () => {
  const heads = createRequestHeads("upstream:8000");
  const list = headers("a");
  heads(post, list, 1);
  list[1] = "b";
  assert.equal(heads(post, list, 1), headOf("b", 1));
  assert.equal(heads(post, headers("a"), 1), headOf("a", 1));
  assert.equal(heads(post, [...headers("a"), "x-more", "1"], 1)?.includes("x-more: 1\r\n"), true);
});

test("what must not be sent is refused each time, also after the same call without it", () => {
  const heads = createRequestHeads("upstream:8000");
  for (let turn = 0; turn < 3; turn++) {
    assert.notEqual(heads(post, headers("a"), 1), undefined);
    for (const bad of ["a\r\nx: 1", "a\n", "ā"]) assert.equal(heads(post, headers(bad), 1), undefined);
    assert.equal(heads(post, [...headers("a"), "Transfer-Encoding", "chunked"], 1), undefined);
    assert.equal(heads({ ...post, target: "/a b" }, headers("a"), 1), undefined);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../../playground/endpoint.ts";
import { embed, likeness, textsIn } from "./embed.ts";

function endpointThat(answer: Response, seen: [string, string][]): Endpoint {
  return {
    baseUrl: "https://plaza.example/v1",
    ephemeralKeys: { get: async () => "key", drop() {} } as unknown as Endpoint["ephemeralKeys"],
    fetch: async (address, init) => {
      seen.push([address, String(init.body)]);
      return answer;
    },
    elapsedMs: () => 0,
    wait: async () => {},
  };
}

const asked = { model: "m", keyId: "k", texts: ["a", "b"], signal: new AbortController().signal };

test("vectors, tokens and the charge of a call", async () => {
  const seen: [string, string][] = [];
  const body = { data: [{ embedding: [1, 0] }, { embedding: [0, 1] }], usage: { prompt_tokens: 7 } };
  const answer = Response.json(body, { headers: { "x-plaza-charge": "0.00001" } });
  assert.deepEqual(await embed(endpointThat(answer, seen), asked), {
    vectors: [
      [1, 0],
      [0, 1],
    ],
    tokens: 7,
    charge: "0.00001",
    fault: null,
  });
  assert.deepEqual(seen, [
    ["https://plaza.example/v1/embeddings", '{"model":"m","input":["a","b"],"encoding_format":"float"}'],
  ]);
});

test("a refusal is told as the endpoint said it", async () => {
  const error = { message: "No.", type: "invalid_request_error", param: null, code: "insufficient_balance" };
  const { vectors, fault } = await embed(endpointThat(Response.json({ error }, { status: 402 }), []), asked);
  assert.deepEqual([vectors, fault?.code, fault?.status], [[], "insufficient_balance", 402]);
});

test("lines are texts, and likeness is the cosine", () => {
  assert.deepEqual(textsIn(" a \n\n b\n"), ["a", "b"]);
  assert.equal(textsIn("x\n".repeat(50)).length, 20);
  assert.equal(likeness([3, 0], [1, 0]), 1);
  assert.equal(likeness([1, 0], [0, 2]), 0);
  assert.equal(likeness([0, 0], [0, 2]), 0);
});

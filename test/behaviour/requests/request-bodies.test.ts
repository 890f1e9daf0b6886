/**
 * Bodies as real clients send them: compressed with gzip or zstd, in chunks, with a byte order mark. The
 * upstream gets the plain body unchanged, and all limits apply to decompressed bodies too.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createZstdCompress, gzipSync, zstdCompressSync } from "node:zlib";
import { type RawAnswer, sendRaw } from "../../rigs/harness/raw-client.ts";
import { type Answer, assertErrorAnswer, send } from "../harness/caller.ts";
import { demoUpstream, model, openaiUpstream } from "../harness/catalogs.ts";
import { completion, streamOf } from "../harness/openai-shapes.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type ScriptedUpstream, startScriptedUpstream } from "../harness/scripted-upstream.ts";

let product: Product;
let upstream: ScriptedUpstream;
let key: string;

async function start(env: Readonly<Record<string, string>>): Promise<{ product: Product; key: string }> {
  const started = await startProduct({
    env,
    catalog: {
      upstreams: [demoUpstream, openaiUpstream("scripted", upstream.baseUrl)],
      models: [model("demo", ["demo", "demo"]), model("m", ["scripted", "m"])],
    },
  });
  return { product: started, key: (await started.createKey(await started.createAccount())).key };
}

before(async () => {
  upstream = await startScriptedUpstream();
  ({ product, key } = await start({ PLAZA_BODY_BYTES_MAX: "8MiB" }));
});
after(async () => {
  await product?.stop();
  await upstream?.stop();
});

interface Sending {
  readonly coding?: string;
  readonly isChunked?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

function post(body: Buffer, { coding, isChunked = false, headers = {} }: Sending = {}): Promise<Answer> {
  return send(product.origin, {
    path: "/v1/chat/completions",
    body,
    isChunked,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(coding === undefined ? {} : { "content-encoding": coding }),
      ...headers,
    },
  });
}

const bodyOf = (content: string, modelId = "m", more: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      model: modelId,
      messages: [{ role: "user", content }],
      x_big: 12345678901234567890n.toString(),
      ...more,
    }),
  );

/** As written by a client that compresses while producing. */
function zstdStreamed(bytes: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  const stream = createZstdCompress();
  stream.on("data", (part: Buffer) => parts.push(part));
  const over = new Promise<Buffer>((resolve) => stream.on("end", () => resolve(Buffer.concat(parts))));
  stream.write(bytes.subarray(0, 100));
  stream.end(bytes.subarray(100));
  return over;
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const prompt = "Hello, 世界! \\ \u0000 ".repeat(5_000);

describe("what reaches the upstream is what was meant, byte for byte", () => {
  const plain = bodyOf(prompt);
  const ways: readonly (readonly [
    name: string,
    coding: string | undefined,
    packed: Buffer | Promise<Buffer>,
  ])[] = [
    ["plain", undefined, plain],
    ["gzip", "gzip", gzipSync(plain)],
    ["x-gzip", "X-GZIP", gzipSync(plain)],
    [
      "two gzip members",
      "gzip",
      Buffer.concat([gzipSync(plain.subarray(0, 99)), gzipSync(plain.subarray(99))]),
    ],
    ["zstd", "zstd", zstdCompressSync(plain)],
    ["zstd written as a stream", "zstd", zstdStreamed(plain)],
    ["identity", "identity", plain],
    ["a byte order mark", undefined, Buffer.concat([mark, plain])],
    ["a byte order mark inside gzip", "gzip", gzipSync(Buffer.concat([mark, plain]))],
  ];
  for (const [name, coding, packed] of ways) {
    for (const isChunked of [false, true]) {
      test(`${name}${isChunked ? ", chunked" : ""}`, async () => {
        upstream.answerWith({ body: completion({ message: { content: "hi" } }) });
        const answer = await post(await packed, { ...(coding === undefined ? {} : { coding }), isChunked });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(upstream.calls[0]?.text, plain.toString("utf8"));
      });
    }
  }

  for (const isChunked of [false, true]) {
    test(`several megabytes behind a mark${isChunked ? ", chunked" : ""}`, async () => {
      const large = bodyOf("Grüße, 世界! ".repeat(200_000));
      upstream.answerWith({ body: completion({ message: { content: "hi" } }) });
      const answer = await post(Buffer.concat([mark, large]), { isChunked });
      assert.equal(answer.status, 200, answer.text);
      assert.ok(upstream.calls[0]?.text === large.toString("utf8"), "the bytes are the same");
    });
  }

  for (const coding of ["gzip", "zstd"]) {
    for (const isChunked of [false, true]) {
      test(`several megabytes in ${coding}${isChunked ? ", chunked" : ""}`, async () => {
        const numbers = Array.from({ length: 400_000 }, (_, index) => `${index} `);
        const large = bodyOf(numbers.join(""));
        upstream.answerWith({ body: completion({ message: { content: "hi" } }) });
        const packed = coding === "gzip" ? gzipSync(large) : zstdCompressSync(large);
        const answer = await post(packed, { coding, isChunked });
        assert.equal(answer.status, 200, answer.text);
        assert.ok(upstream.calls[0]?.text === large.toString("utf8"), "the bytes are the same");
      });
    }
  }

  test("a stream asked for in a compressed body is a stream", async () => {
    upstream.answerWith({ events: streamOf([{ content: "hi" }]) });
    const answer = await post(gzipSync(bodyOf("hello", "m", { stream: true })), { coding: "gzip" });
    assert.match(answer.text, /\[DONE\]/);
  });
});

test("a repeated call is the same one, however its body is written", async () => {
  upstream.answerWith({ body: completion({ message: { content: "once" } }) });
  const plain = bodyOf("the same");
  const headers = { "idempotency-key": "one-body" };
  const first = await post(plain, { headers });
  const repeated = [
    await post(gzipSync(plain), { headers, coding: "gzip" }),
    await post(zstdCompressSync(plain), { headers, coding: "zstd" }),
    await post(Buffer.concat([mark, plain]), { headers }),
  ];
  for (const answer of repeated) {
    assert.equal(answer.headers["idempotent-replayed"], "true");
    assert.equal(answer.text, first.text);
  }
  assert.equal(upstream.calls.length, 1);
  assertErrorAnswer(await post(gzipSync(bodyOf("another")), { headers, coding: "gzip" }), 422, {
    code: "idempotency_key_reused",
  });
});

describe("what is refused, and in which words", () => {
  const good = bodyOf("hi", "demo");
  const deep = Buffer.from(`{"model":"demo","x":${"[".repeat(100)}`);
  const large = bodyOf(Array.from({ length: 1_300_000 }, (_, index) => `${index} `).join(""), "demo");
  const cases: readonly (readonly [
    name: string,
    coding: string,
    body: Buffer,
    status: number,
    message: RegExp,
  ])[] = [
    ["cut gzip", "gzip", gzipSync(good).subarray(0, -3), 400, /not valid gzip: it is incomplete/],
    ["cut zstd", "zstd", zstdCompressSync(good).subarray(0, -3), 400, /not valid zstd: it is incomplete/],
    ["plain bytes called gzip", "gzip", good, 400, /not valid gzip: decompression failed/],
    ["gzip called zstd", "zstd", gzipSync(good), 400, /not valid zstd: decompression failed/],
    ["something behind gzip", "gzip", Buffer.concat([gzipSync(good), good]), 400, /not valid gzip/],
    [
      "zeros behind gzip",
      "gzip",
      Buffer.concat([gzipSync(good), Buffer.alloc(9)]),
      400,
      /gzip: unexpected data after its end/,
    ],
    ["nothing at all", "gzip", Buffer.alloc(0), 400, /The body is empty/],
    ["nothing inside", "zstd", zstdCompressSync(Buffer.alloc(0)), 400, /The body is empty/],
    ["half a byte order mark", "identity", Buffer.concat([mark.subarray(0, 2), good]), 400, /byte 0/],
    ["two byte order marks", "identity", Buffer.concat([mark, mark, good]), 400, /byte 0/],
    ["JSON that is none, inside", "gzip", gzipSync("{'a':1}"), 400, /not valid JSON: .* byte 1/],
    ["nested too deeply, inside", "zstd", zstdCompressSync(deep), 413, /nested deeper than 64/],
    [
      "larger than a body may be, inside",
      "gzip",
      gzipSync(large),
      413,
      /limit of this installation .*8388608 bytes/,
    ],
    [
      "a bomb of gzip",
      "gzip",
      gzipSync(Buffer.alloc(8_000_000, " ")),
      413,
      /decompresses to more than 200 times/,
    ],
    [
      "a bomb of zstd",
      "zstd",
      zstdCompressSync(Buffer.alloc(8_000_000, " ")),
      413,
      /decompresses to more than 200 times/,
    ],
    ["brotli", "br", good, 415, /gzip or zstd/],
    ["deflate", "deflate", good, 415, /gzip or zstd/],
    ["twice compressed", "gzip, zstd", zstdCompressSync(gzipSync(good)), 415, /once/],
  ];
  for (const [name, coding, body, status, message] of cases) {
    for (const isChunked of [false, true]) {
      test(`${name}${isChunked ? ", chunked" : ""}`, async () => {
        const code =
          { 400: "invalid_request", 413: "request_too_large", 415: "unsupported_media_type" }[status] ?? "";
        assertErrorAnswer(await post(body, { coding, isChunked }), status, { code, message });
      });
    }
  }

  test("a byte order mark that is cut into pieces is one, and half of one stays none", async () => {
    const begin = async (...parts: readonly Buffer[]): Promise<RawAnswer | undefined> => {
      const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: plaza\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
      const chunks = parts.map((part) =>
        Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]),
      );
      const pieces = [Buffer.from(head), ...chunks, Buffer.from("0\r\n\r\n")];
      const sent = pieces.map((bytes, index) => ({ bytes, afterMs: index === 0 ? 0 : 20 }));
      return (await sendRaw({ port: product.port, pieces: sent, answersMax: 1 })).answers[0];
    };
    const [first, second, third] = [mark.subarray(0, 1), mark.subarray(1, 2), mark.subarray(2)];
    assert.equal((await begin(first, second, third, good))?.status, 200);
    const half = await begin(first, second, good);
    assert.equal(half?.status, 400);
    assert.match(half?.body.toString() ?? "", /byte 0/);
  });

  test("the next request on the same product is served", async () => {
    assert.equal((await post(gzipSync(good), { coding: "gzip" })).status, 200);
  });
});

test("turned off, compressed bodies are refused, and plain ones taken", async () => {
  const strict = await start({ PLAZA_REQUEST_COMPRESSION: "off" });
  const [usual, usualKey] = [product, key];
  try {
    ({ product, key } = strict);
    const good = bodyOf("hi", "demo");
    assert.equal((await post(good)).status, 200);
    assert.equal((await post(good, { coding: "identity" })).status, 200);
    assertErrorAnswer(await post(gzipSync(good), { coding: "gzip" }), 415, {
      code: "unsupported_media_type",
      message: /does not accept compressed/,
    });
  } finally {
    [product, key] = [usual, usualKey];
    await strict.product.stop();
  }
});

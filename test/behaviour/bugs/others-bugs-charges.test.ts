/**
 * Bugs that other gateways have with money and with connections, each a test in every format: the name of a
 * test is the bug.
 */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { errorFormatOf, readError } from "../harness/error-shapes.ts";
import { callers } from "../harness/formats/callers.ts";
import { type FormatStage, formats, nanosPerToken, pairs, startFormats } from "../harness/formats/stage.ts";
import { answerOf, type UpstreamFormat, usualTokens } from "../harness/formats/upstreams.ts";
import { geminiError } from "../harness/gemini-shapes.ts";
import { wholeMessage } from "../harness/messages-shapes.ts";
import { completion, openaiError } from "../harness/openai-shapes.ts";
import { messageItem, response } from "../harness/responses-shapes.ts";
import type { ScriptedAnswer } from "../harness/scripted-upstream.ts";

let stage: FormatStage;
before(async () => {
  stage = await startFormats();
});
after(async () => {
  await stage?.stop();
});

type Fields = Record<string, unknown>;

describe("cached tokens at full rate or counted twice", () => {
  const tokens = { input: 100, cached: 1_000, output: 40, reasoning: 30 };
  const charge =
    BigInt(tokens.input) * nanosPerToken.input +
    BigInt(tokens.cached) * nanosPerToken.cached +
    BigInt(tokens.output) * nanosPerToken.output;
  for (const [caller, upstream] of pairs) {
    for (const isStream of [false, true]) {
      test(`${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`, async () => {
        const { seen, told } = await stage.ask(caller, upstream, { texts: ["Yes."], tokens }, { isStream });
        const row = await stage.rowOf(seen);
        assert.deepEqual(
          [row.inputTokens, row.cachedInputTokens, row.outputTokens, row.usageSource, row.charge],
          [tokens.input, tokens.cached, tokens.output, "exact", charge],
        );
        assert.deepEqual([told.tokens.input, told.tokens.cached], [1_100, 1_000]);
      });
    }
  }
});

/** What an upstream of each format says where its filter stopped the request, and not the answer. */
const filtered: Readonly<Record<UpstreamFormat, ScriptedAnswer>> = {
  "openai-chat": { status: 400, body: openaiError("No.", { code: "content_policy_violation" }) },
  "openai-responses": { status: 400, body: openaiError("No.", { code: "content_policy_violation" }) },
  "anthropic-messages": { body: wholeMessage([], { stop_reason: "refusal" }) },
  gemini: {
    body: {
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    },
  },
};

describe("a content filter as 502", () => {
  for (const [caller, upstream] of pairs) {
    test(`that stopped the request: ${caller} at ${upstream}`, async () => {
      stage.upstreams[upstream].answerWith(filtered[upstream]);
      const seen = await stage.send(caller, upstream, { model: stage.fresh(upstream) });
      assert.ok(seen.status === 200 || seen.status === 400, `${seen.status} ${seen.body}`);
      assert.equal(stage.upstreams[upstream].calls.length, 1, "it is not tried again");
      if (seen.status === 200) assert.match(String(seen.body), /filter|refusal|SAFETY|blockReason/);
      else {
        const format = errorFormatOf(callers[caller].path("m", false));
        assert.equal(readError(String(seen.body), format).code, "content_filter");
      }
    });
  }
});

/** Bodies and answers that name the call they belong to. */
const numbered = (upstream: UpstreamFormat, name: string): ScriptedAnswer =>
  answerOf(upstream, { texts: [name] }, false);
const failing: Readonly<Record<UpstreamFormat, ScriptedAnswer>> = {
  "openai-chat": { status: 400, body: openaiError("odd") },
  "openai-responses": { status: 400, body: openaiError("odd") },
  "anthropic-messages": {
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "odd" } },
  },
  gemini: { status: 400, body: geminiError(400, "INVALID_ARGUMENT", "odd") },
};

describe("one call's error on a pooled connection given to the next", () => {
  for (const [caller, upstream] of pairs) {
    test(`errors and answers by turns, ${caller} at ${upstream}`, async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        const isError = turn % 2 === 0;
        stage.upstreams[upstream].answerWith(
          isError ? failing[upstream] : numbered(upstream, `answer ${turn}`),
        );
        const seen = await stage.send(caller, upstream);
        assert.equal(seen.status, isError ? 400 : 200, String(seen.body));
        if (!isError)
          assert.equal(callers[caller].read(seen.body, false).text, `answer ${turn}`, String(seen.body));
      }
    });
  }

  /** An upstream that sends more than it announced: the rest looks like the next call's answer. */
  test("bytes beyond the announced end of an answer are nobody's", async () => {
    const bodies: Readonly<Record<string, string>> = {
      "/v1/chat/completions": JSON.stringify(completion({ message: { content: "mine" } })),
      "/v1/messages": JSON.stringify(wholeMessage([{ type: "text", text: "mine" }])),
      "/v1/responses": JSON.stringify(response([messageItem("mine")])),
    };
    const surplus = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 17\r\n\r\n{"error":"other"}';
    const server = await startRaw((path) => {
      const body = bodies[path] ?? "{}";
      return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}${surplus}`;
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const app = await startApp({
      catalog: {
        upstreams: [
          upstreamAt("chat", baseUrl),
          upstreamAt("claude", baseUrl, { provider: "anthropic" }),
          upstreamAt("responses", baseUrl),
        ],
        models: [
          modelOn("openai-chat", ["chat"]),
          modelOn("anthropic-messages", ["claude"]),
          {
            ...modelOn("openai-responses", []),
            deployments: [
              {
                upstream: "responses",
                model: "gpt-5.6",
                priority: 1,
                weight: 1,
                formats: ["openai-responses"],
              },
            ],
          },
        ],
        limits: {},
      },
    });
    try {
      const { key } = await app.newAccount("10");
      for (const format of ["openai-chat", "anthropic-messages", "openai-responses"] as const) {
        for (let turn = 0; turn < 10; turn += 1) {
          const seen = await askAt(app, key, format);
          assert.equal(seen.status, 200, String(seen.body));
          assert.equal(callers[format].read(seen.body, false).text, "mine");
        }
      }
    } finally {
      await app.stop();
      server.close();
    }
  });
});

function askAt(app: TestApp, key: string, format: UpstreamFormat): Promise<Seen> {
  const { path, body } = callers[format];
  return post({
    url: `${app.origin}${path(format, false)}`,
    key,
    body: JSON.stringify(body({ model: format, isStream: false })),
  });
}

/** A server that answers each request with these bytes, and keeps the connection. */
async function startRaw(answer: (path: string) => string): Promise<Server> {
  const server = createServer((socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head < 0 || text.length < head + 4 + length) return;
      const path = /^POST (\S+)/.exec(text)?.[1] ?? "";
      text = text.slice(head + 4 + length);
      socket.write(answer(path), "latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** One picture of 512 × 512, as each format has it. */
const picture = (() => {
  const head = Buffer.alloc(3_000);
  head.write("\x89PNG\r\n\x1a\n", "latin1");
  head.writeUInt32BE(13, 8);
  head.write("IHDR", 12);
  head.writeUInt32BE(512, 16);
  head.writeUInt32BE(512, 20);
  return head.toString("base64");
})();

const withPicture: Readonly<Record<UpstreamFormat, (body: Fields) => Fields>> = {
  "openai-chat": (body) => ({
    ...body,
    messages: [
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }],
      },
    ],
  }),
  "openai-responses": (body) => ({
    ...body,
    input: [
      { role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${picture}` }] },
    ],
  }),
  "anthropic-messages": (body) => ({
    ...body,
    messages: [
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: picture } }],
      },
    ],
  }),
  gemini: (body) => ({
    ...body,
    contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: picture } }] }],
  }),
};

/** A tool that the upstream would run, and charge for. */
const hostedTools: Readonly<Record<UpstreamFormat, Fields>> = {
  "openai-chat": { web_search_options: {} },
  "openai-responses": { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
  "anthropic-messages": { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
  gemini: { tools: [{ googleSearch: {} }] },
};

/** The answer without its report of usage. */
function unmetered(upstream: UpstreamFormat): ScriptedAnswer {
  const answer = answerOf(upstream, { texts: ["A picture."] }, false);
  const { usage: _, usageMetadata: __, ...body } = answer.body as Fields;
  return { ...answer, body };
}

describe("images and hosted tools unbilled", () => {
  for (const [caller, upstream] of pairs) {
    test(`a picture, where the upstream says no usage: ${caller} at ${upstream}`, async () => {
      const model = stage.fresh(upstream);
      const body = withPicture[caller](stage.bodyFor(caller, upstream, { model }));
      stage.upstreams[upstream].answerWith(unmetered(upstream));
      const seen = await stage.send(caller, upstream, { body, model });
      assert.equal(seen.status, 200, String(seen.body));
      assert.match(stage.upstreams[upstream].calls[0]?.text ?? "", new RegExp(picture.slice(0, 40)));
      const row = await stage.rowOf(seen);
      assert.equal(row.usageSource, "estimated");
      // Neither free nor charged as if its base64 were text.
      assert.ok(row.inputTokens > 80 && row.inputTokens < 900, String(row.inputTokens));
    });

    test(`a hosted tool: ${caller} at ${upstream}`, async () => {
      const body = { ...stage.bodyFor(caller, upstream), ...hostedTools[caller] };
      stage.upstreams[upstream].answerWith(numbered(upstream, "free"));
      const seen = await stage.send(caller, upstream, { body });
      const sent = stage.upstreams[upstream].calls[0]?.text;
      assert.equal(seen.status, 400, `${seen.body}\n${sent}`);
      const format = errorFormatOf(callers[caller].path("m", false));
      assert.equal(readError(String(seen.body), format).code, "unsupported_parameter");
      assert.equal(sent, undefined);
      assert.equal((await stage.rowOf(seen)).charge, 0n);
    });
  }
});

describe("an answer charged though it was not served", () => {
  for (const [caller, upstream] of pairs) {
    for (const isStream of [false, true]) {
      test(`${caller} at ${upstream}, ${isStream ? "streamed" : "whole"}`, async () => {
        stage.upstreams[upstream].answerWith({ status: 500, body: "broken" });
        const seen = await stage.send(caller, upstream, { isStream, model: stage.fresh(upstream) });
        assert.ok(seen.status >= 500, String(seen.status));
        const row = await stage.rowOf(seen);
        assert.deepEqual([row.state, row.charge], ["failed", 0n]);
      });
    }
  }

  test("and one that was served is charged once, whoever asks", async () => {
    const account = await stage.app.newAccount("1");
    let sum = 0n;
    for (const [caller, upstream] of pairs) {
      const { seen } = await stage.ask(caller, upstream, { texts: ["Yes."] }, { from: account });
      sum += (await stage.rowOf(seen)).charge;
    }
    const { input, cached, output } = usualTokens;
    const each =
      BigInt(input) * nanosPerToken.input +
      BigInt(cached) * nanosPerToken.cached +
      BigInt(output) * nanosPerToken.output;
    assert.equal(sum, each * BigInt(pairs.length));
    assert.equal(formats.length ** 2, pairs.length);
  });
});

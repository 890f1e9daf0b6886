/**
 * `POST /v1/messages` at upstreams of other formats, from end to end: what Claude Code and its like send is
 * taken, and what comes back reads as an answer of Claude's does.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { post, type Seen } from "../../rigs/harness/http-client.ts";
import { modelOn, startApp, type TestAccount, type TestApp, upstreamAt } from "../harness/app-in-process.ts";
import { geminiResponse, geminiText } from "../harness/gemini-shapes.ts";
import {
  eventsIn,
  streamOf as messagesStream,
  textBlock,
  textMessage,
  wholeMessage,
} from "../harness/messages-shapes.ts";
import { streamOf as chatStream, completion } from "../harness/openai-shapes.ts";
import {
  messageItem,
  response,
  streamOf as responsesStream,
  textResponse,
} from "../harness/responses-shapes.ts";
import {
  type ScriptedAnswer,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../harness/scripted-upstream.ts";

const names = ["claude", "gpt", "gpt-responses", "gemini"] as const;
type Name = (typeof names)[number];
/** Those that do not speak Messages. */
const others = names.filter((name) => name !== "claude");
const upstreams = {} as Record<Name, ScriptedUpstream>;
let app: TestApp;
let account: TestAccount;

before(async () => {
  for (const name of names) upstreams[name] = await startScriptedUpstream();
  const beta = upstreams.gemini.baseUrl.replace(/\/v1$/, "/v1beta");
  const deployment = { upstream: "gpt-responses", model: "upstream-model", priority: 1, weight: 1 };
  app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("claude", upstreams.claude.baseUrl, { provider: "anthropic" }),
        upstreamAt("gpt", upstreams.gpt.baseUrl),
        upstreamAt("gpt-responses", upstreams["gpt-responses"].baseUrl),
        upstreamAt("gemini", beta, { provider: "google" }),
      ],
      models: [...names.map((name) => modelOn(name, [name], { maxOutput: 64_000 }))].map((model) =>
        model.id === "gpt-responses"
          ? { ...model, deployments: [{ ...deployment, formats: ["openai-responses"] }] }
          : model,
      ),
      limits: {},
    },
  });
  account = await app.newAccount("100");
});
after(async () => {
  await app?.stop();
  for (const name of names) await upstreams[name]?.stop();
});

const geminiStream = (...objects: readonly object[]): ScriptedAnswer => ({ events: objects });

const paths: Readonly<Record<Name, string>> = {
  claude: "/v1/messages",
  gpt: "/v1/chat/completions",
  "gpt-responses": "/v1/responses",
  gemini: "/v1beta/models/upstream-model:streamGenerateContent?alt=sse",
};

/** A text as each upstream answers it. */
const whole: Readonly<Record<Name, (text: string) => object>> = {
  claude: (text) => wholeMessage([textBlock(text)]),
  gpt: (text) => completion({ message: { content: text } }),
  "gpt-responses": (text) => response([messageItem(text)]),
  gemini: (text) => geminiResponse([geminiText(text)], "STOP"),
};
const streamed: Readonly<Record<Name, (...texts: string[]) => ScriptedAnswer>> = {
  claude: (...texts) => messagesStream(textMessage(...texts)),
  gpt: (...texts) => ({ events: chatStream(texts.map((content) => ({ content }))) }),
  "gpt-responses": (...texts) => responsesStream(textResponse(texts)),
  gemini: (...texts) =>
    geminiStream(
      ...texts.map((text, index) =>
        geminiResponse([geminiText(text)], index === texts.length - 1 ? "STOP" : undefined),
      ),
    ),
};

const ask = (model: Name, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
  post({
    url: `${app.origin}/v1/messages?beta=true`,
    key: account.key,
    headers,
    body: JSON.stringify({
      model,
      max_tokens: 100,
      messages: [{ role: "user", content: "Say it." }],
      ...body,
    }),
  });

const textOf = ({ body }: Seen): string => body.toString("utf8");
type Fields = Record<string, unknown>;
const jsonOf = (seen: Seen): Fields => JSON.parse(textOf(seen)) as Fields;
const asked = (name: Name): string => upstreams[name].calls.at(-1)?.text ?? "";

/** The blocks of a streamed answer, each of its type and words. */
function blocksIn(text: string): [type: unknown, words: string][] {
  const blocks: [unknown, string][] = [];
  for (const event of eventsIn(text)) {
    const { content_block: block = {}, delta = {} } = event as { content_block?: Fields; delta?: Fields };
    if (event.type === "content_block_start") blocks.push([block["type"], ""]);
    const words = delta["text"] ?? delta["thinking"] ?? delta["partial_json"];
    const open = blocks.at(-1);
    if (event.type === "content_block_delta" && open !== undefined && typeof words === "string")
      open[1] += words;
  }
  return blocks;
}

/** What Claude Code 2.1 sends, in short: everything in it that is Anthropic's alone. */
const ephemeral = { type: "ephemeral" };
const claudeCode = {
  max_tokens: 32_000,
  stream: true,
  system: [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.330; cch=97bd6;" },
    { type: "text", text: "You are Claude Code.", cache_control: ephemeral },
  ],
  thinking: { type: "adaptive", display: "omitted" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  tools: [
    { name: "Bash", description: "Runs.", input_schema: { type: "object", properties: {} } },
    { name: "Rare", input_schema: { type: "object" }, defer_loading: true },
  ],
  messages: [
    { role: "user", content: [{ type: "text", text: "Say it.", cache_control: ephemeral }] },
    {
      role: "system",
      content: [{ type: "text", text: "Todo list is empty.", cache_control: ephemeral }],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "EqQBCgIYAhIM" },
        { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "a.txt", cache_control: ephemeral }],
    },
  ],
};
const claudeCodeBetas = [
  "claude-code-20250219",
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "mid-conversation-tool-changes-2026-07-01",
  "advanced-tool-use-2025-11-20",
  "effort-2025-11-24",
].join(",");
const claudeCodeHeaders = { "anthropic-version": "2023-06-01", "anthropic-beta": claudeCodeBetas };

describe("what Claude Code sends", () => {
  test("goes to an upstream of its format with its betas, outside the model's name byte for byte", async () => {
    upstreams.claude.answerWith(streamed.claude("Done"));
    const seen = await ask("claude", claudeCode, claudeCodeHeaders);
    assert.equal(seen.status, 200, textOf(seen));
    const { system, ...rest } = claudeCode;
    const sent = { model: "upstream-model", ...rest, system: system.slice(1) };
    assert.deepEqual(JSON.parse(asked("claude")), sent);
    assert.equal(upstreams.claude.calls[0]?.headers["anthropic-beta"], claudeCodeBetas);
    assert.equal(seen.headers["x-plaza-dropped-params"], undefined);
  });

  for (const name of others)
    test(`is taken by ${name}: everything that is said there, and nothing that is Anthropic's alone`, async () => {
      upstreams[name].answerWith(streamed[name]("Do", "ne"));
      const seen = await ask(name, claudeCode, claudeCodeHeaders);
      assert.equal(seen.status, 200, textOf(seen));
      assert.deepEqual(
        upstreams[name].calls.map(({ path }) => path),
        [paths[name]],
      );
      const text = asked(name);
      for (const part of ["You are Claude Code.", "Say it.", "Todo list is empty.", "a.txt", "Rare", "Bash"])
        assert.ok(text.includes(part), `${part} in ${text}`);
      for (const part of [
        "cache_control",
        "context_management",
        "defer_loading",
        "billing-header",
        "EqQBCgIYAhIM",
        "clear_thinking",
      ])
        assert.ok(!text.includes(part), `${part} in ${text}`);
      assert.equal(upstreams[name].calls[0]?.headers["anthropic-beta"], undefined);
      const dropped = String(seen.headers["x-plaza-dropped-params"]).split(", ");
      assert.ok(dropped.includes("context_management"), dropped.join());
      assert.deepEqual(blocksIn(textOf(seen)).at(-1), ["text", "Done"]);
      assert.equal(eventsIn(textOf(seen)).at(-1)?.type, "message_stop");
    });
});

describe("an answer of another format", () => {
  for (const name of others) {
    test(`of ${name} ends with its text, whole and streamed, under the name of who answered as in chat`, async () => {
      upstreams[name].answerWith({ body: whole[name]("Hello") });
      const message = jsonOf(await ask(name));
      assert.deepEqual(message["content"], [textBlock("Hello")]);
      upstreams[name].answerWith(streamed[name]("Hel", "lo"));
      const seen = await ask(name, { stream: true });
      const [start] = eventsIn(textOf(seen)) as unknown as [{ message: Fields }];
      assert.deepEqual(blocksIn(textOf(seen)), [["text", "Hello"]]);
      upstreams[name].answerWith({ body: whole[name]("Hello") });
      const chat = await post({
        url: app.chatUrl,
        key: account.key,
        body: JSON.stringify({ model: name, messages: [{ role: "user", content: "Say it." }] }),
      });
      const { model } = jsonOf(chat);
      assert.deepEqual([message["model"], start.message["model"]], [model, model]);
      assert.ok(typeof model === "string" && model !== "");
    });
  }

  test("of Gemini that closes with a signature ends with its text, which Claude Code takes for the result", async () => {
    const closing = { text: "", thoughtSignature: "c2ln" };
    upstreams.gemini.answerWith(
      geminiStream(
        geminiResponse([{ text: "Hm", thought: true }]),
        geminiResponse([geminiText("Done.")]),
        geminiResponse([closing], "STOP"),
      ),
    );
    const seen = await ask("gemini", { ...claudeCode, thinking: { type: "adaptive" } });
    assert.deepEqual(blocksIn(textOf(seen)), [
      ["thinking", "Hm"],
      ["text", "Done."],
    ]);
    upstreams.gemini.answerWith({ body: geminiResponse([geminiText("Done."), closing], "STOP") });
    const { content } = jsonOf(await ask("gemini", { thinking: { type: "adaptive" } }));
    assert.deepEqual(content, [textBlock("Done.")]);
  });

  test("that is refused says so in stop_reason and stop_details", async () => {
    upstreams.gpt.answerWith({ body: completion({ message: { refusal: "I cannot." } }) });
    const message = jsonOf(await ask("gpt"));
    const stop_details = { type: "refusal", category: null, explanation: "I cannot." };
    assert.deepEqual([message["stop_reason"], message["stop_details"]], ["refusal", stop_details]);
    upstreams.gemini.answerWith({ body: geminiResponse([], "SAFETY") });
    assert.equal(jsonOf(await ask("gemini"))["stop_reason"], "refusal");
    upstreams.gpt.answerWith({ body: completion({ message: { content: "Hi" } }) });
    const plain = jsonOf(await ask("gpt"));
    assert.deepEqual([plain["stop_reason"], plain["stop_details"]], ["end_turn", null]);
  });

  test("that cites pages has them as citations, whole and streamed", async () => {
    const annotations = [
      {
        type: "url_citation",
        url_citation: { url: "https://a.test", title: "A", start_index: 0, end_index: 2 },
      },
    ];
    const citation = { url: "https://a.test", title: "A" };
    upstreams.gpt.answerWith({ body: completion({ message: { content: "Hi", annotations } }) });
    const [block] = jsonOf(await ask("gpt"))["content"] as { citations: Fields[] }[];
    const { url, title } = block?.citations[0] ?? {};
    assert.deepEqual({ url, title }, citation);
    upstreams.gpt.answerWith({ events: chatStream([{ content: "Hi" }, { annotations }]) });
    const events = eventsIn(textOf(await ask("gpt", { stream: true })));
    const told = events.flatMap((event) => {
      const { type, citation: one } = (event["delta"] ?? {}) as { type?: string; citation?: Fields };
      return type === "citations_delta" ? [{ url: one?.["url"], title: one?.["title"] }] : [];
    });
    assert.deepEqual(told, [citation]);
  });
});

describe("files", () => {
  const data = "JVBERi0xLjQK";
  const pdf = {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data },
    title: "a.pdf",
    citations: { enabled: true },
  };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const messages = [{ role: "user", content: [pdf, image, textBlock("Read them.")] }];

  for (const name of others)
    test(`go to ${name}; that it cites none of them is told`, async () => {
      upstreams[name].answerWith({ body: whole[name]("Read.") });
      const seen = await ask(name, { messages });
      assert.equal(seen.status, 200, textOf(seen));
      for (const part of [data, "iVBORw0KGgo=", "application/pdf", "image/png"])
        assert.ok(asked(name).includes(part), `${part} in ${asked(name)}`);
      assert.match(String(seen.headers["x-plaza-dropped-params"]), /messages\[0\]\.content\[0\]\.citations/);
    });

  test("and citations pass to an upstream of Messages, and come back, byte for byte", async () => {
    const cited = wholeMessage([
      {
        ...textBlock("Read."),
        citations: [
          {
            type: "page_location",
            cited_text: "x",
            document_index: 0,
            document_title: "a.pdf",
            start_page_number: 1,
            end_page_number: 2,
          },
        ],
      },
    ]);
    upstreams.claude.answerWith({ body: cited });
    const seen = await ask("claude", { messages });
    assert.equal(textOf(seen), JSON.stringify(cited));
    assert.deepEqual(JSON.parse(asked("claude")).messages, messages);
  });
});

describe("marks for the prompt cache", () => {
  const marked = (text: string) => ({ ...textBlock(text), cache_control: ephemeral });
  const messages = [{ role: "user", content: ["a", "b", "c", "d", "e", ""].map(marked) }];

  test("are nobody's business but Anthropic's: five of them, and one on an empty text", async () => {
    for (const name of others) {
      upstreams[name].answerWith({ body: whole[name]("Hi") });
      const seen = await ask(name, { messages });
      assert.equal(seen.status, 200, textOf(seen));
      assert.ok(!asked(name).includes("cache_control"));
    }
  });

  test("too many of the caller's own reach an upstream of Messages, whose refusal is told", async () => {
    const text = "A maximum of 4 blocks with cache_control may be provided. Found 6.";
    upstreams.claude.answerWith({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message: text } },
    });
    const seen = await ask("claude", { messages });
    assert.deepEqual(JSON.parse(asked("claude")).messages, messages);
    const { error } = jsonOf(seen) as { error: Fields };
    assert.deepEqual([seen.status, error["type"]], [400, "invalid_request_error"]);
    assert.match(String(error["message"]), /maximum of 4 blocks with cache_control/);
  });
});

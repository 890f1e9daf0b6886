/**
 * Turns of a tool loop at different processes: the upstream gets the previous turn's reasoning, although most
 * clients drop it, and no database file contains it in plain text. Real processes on one database.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { Reply } from "../../../server/src/providers/testing/wire.ts";
import { sharedPostgres } from "../../postgres/shared.ts";
import { post } from "../../rigs/harness/http-client.ts";
import { eventually } from "../../rigs/harness/measure/clock.ts";
import { type CatalogFile, model } from "../harness/catalogs.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { type Mock, startMock } from "./provider-mock.ts";

const json = (value: unknown): string => JSON.stringify(value);

/** The reasoning text and its signature; neither may be readable on disk. */
const thought = "the-lighthouse-keeper-counts-herons";
const signature = Buffer.from("signature-of-the-herons-0123456789").toString("base64");

interface Vendor {
  readonly id: string;
  readonly provider: { readonly provider: string } | { readonly preset: string };
  readonly path: string;
  readonly model: string;
  /** The answer that calls a tool, whole and as a stream. */
  readonly whole: string;
  readonly stream: string;
  /** What the upstream must receive of it in the next turn. */
  readonly wanted: readonly string[];
}

const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${json(event)}\n\n`).join("");

const message = (content: readonly object[], more: object = {}): object => ({
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-opus-4-7",
  content,
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});
const claudeTool = { type: "tool_use", id: "toolu_01AbCdEfGhIjKlMnOp0000", name: "look", input: {} };
const block = (index: number, begin: object, ...deltas: readonly object[]): object[] => [
  { type: "content_block_start", index, content_block: begin },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const geminiAnswer = {
  candidates: [
    {
      index: 0,
      content: {
        role: "model",
        parts: [{ functionCall: { name: "look", args: {} }, thoughtSignature: signature }],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const chatCall = {
  index: 0,
  id: "call_00_abcdefgh0000",
  type: "function",
  function: { name: "look", arguments: "{}" },
};
const chat = (object: string, choice: object, more: object = {}): object => ({
  id: "c1",
  object,
  created: 1,
  model: "m",
  choices: [{ index: 0, ...choice }],
  ...more,
});

const vendors: readonly Vendor[] = [
  {
    id: "anthropic",
    provider: { provider: "anthropic" },
    path: "",
    model: "claude-opus-4-7",
    whole: json(message([{ type: "thinking", thinking: thought, signature }, claudeTool])),
    stream: sse(
      { type: "message_start", message: message([], { stop_reason: null }) },
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: thought },
        { type: "signature_delta", signature },
      ),
      ...block(1, claudeTool),
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ),
    wanted: [thought, signature],
  },
  {
    id: "google",
    provider: { provider: "google" },
    path: "/v1beta",
    model: "gemini-3-pro",
    whole: json(geminiAnswer),
    stream: sse(geminiAnswer),
    wanted: [signature],
  },
  {
    id: "deepseek",
    provider: { preset: "deepseek" },
    path: "/v1",
    model: "deepseek-reasoner",
    whole: json(
      chat(
        "chat.completion",
        {
          message: { role: "assistant", content: null, reasoning_content: thought, tool_calls: [chatCall] },
          finish_reason: "tool_calls",
        },
        { usage: chatUsage },
      ),
    ),
    stream: `${sse(
      chat("chat.completion.chunk", {
        delta: { role: "assistant", reasoning_content: thought },
        finish_reason: null,
      }),
      chat("chat.completion.chunk", { delta: { tool_calls: [chatCall] }, finish_reason: null }),
      chat("chat.completion.chunk", { delta: {}, finish_reason: "tool_calls" }, { usage: chatUsage }),
    )}data: [DONE]\n\n`,
    wanted: [thought],
  },
];

const catalogAt = (origin: string): CatalogFile => ({
  upstreams: vendors.map(({ id, provider, path }) => ({
    id,
    ...provider,
    baseUrl: `${origin}/${id}${path}`,
    credentials: ["sk-up-0123456789"],
  })),
  models: vendors.map(({ id, model: name }) => model(id, [id, name])),
});

const tools = [
  { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } },
];
const question = { role: "user", content: "How many herons?" };

async function chatAt(product: Product, key: string, body: object): Promise<string> {
  const seen = await post({
    url: product.chatUrl,
    key,
    body: json({ tools, reasoning_effort: "high", ...body }),
  });
  const text = seen.body.toString("utf8");
  assert.equal(seen.status, 200, text);
  return text;
}

/** The id of the tool call in an answer, whole or streamed; most clients send back only this. */
const callIdIn = (answer: string): string => /"id":"((?:toolu|call)_?[^"]+)"/.exec(answer)?.[1] ?? "";

/** The next turn, from a client that drops reasoning. */
const turnAfter = (id: string): object[] => [
  question,
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: "seven" },
];

/** Files below the folder that contain a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

const countRows = "select count(*) as n from reasoning";

/** Number of tool calls with stored reasoning in a SQLite file. */
function rowsIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare(countRows).get()?.["n"]);
  } finally {
    database.close();
  }
}

for (const database of ["sqlite", "postgres"] as const) {
  describe(`turns at two processes on one database (${database})`, () => {
    let mock: Mock;
    let first: Product;
    let second: Product;
    let key = "";
    /** Every tool call has a unique id. */
    let calls = 0;
    /**
     * The number of stored ones: they are written in the background, and a test is faster than any client.
     */
    let storedCalls: () => Promise<number>;

    before(async () => {
      mock = await startMock((place, isStream): Reply | undefined => {
        const vendor = vendors.find(({ id }) => id === place);
        if (vendor === undefined) return undefined;
        calls += 1;
        const body = (isStream ? vendor.stream : vendor.whole).replaceAll("0000", String(1000 + calls));
        return { headers: { "content-type": isStream ? "text/event-stream" : "application/json" }, body };
      });
      const catalog = catalogAt(mock.origin);
      const server = database === "sqlite" ? undefined : await sharedPostgres();
      const url = await server?.newDatabase();
      const env = url === undefined ? {} : { PLAZA_DATABASE: url };
      first = await startProduct({ catalog, env });
      storedCalls = async () => {
        if (server === undefined || url === undefined) return rowsIn(join(first.folder, "plaza.sqlite"));
        const [found] = await server.query(countRows, new URL(url).pathname.slice(1));
        return Number(found?.["n"]);
      };
      second = await startProduct({ catalog, env, folder: first.folder });
      key = (await first.createKey(await first.createAccount())).key;
    });
    after(async () => {
      await second?.stop();
      await first?.stop();
      await mock?.stop();
    });

    /**
     * Calls the first process; resolves with the tool call's id once other processes can read the reasoning.
     */
    async function firstTurn(asked: object): Promise<string> {
      const id = callIdIn(await chatAt(first, key, { ...asked, messages: [question] }));
      assert.notEqual(id, "");
      assert.ok(await eventually(async () => (await storedCalls()) >= calls, 10_000, 5), "it was not stored");
      return id;
    }

    for (const vendor of vendors) {
      for (const stream of [false, true]) {
        test(`${vendor.id}, ${stream ? "streamed" : "whole"}: the upstream gets the thoughts back`, async () => {
          const asked = { model: vendor.id, stream };
          const id = await firstTurn(asked);
          await chatAt(second, key, { ...asked, messages: turnAfter(id) });
          for (const text of vendor.wanted) assert.ok(mock.lastCall(vendor.id).includes(text), text);
        });
      }
    }

    test("another account that names the call gets nothing of it", async () => {
      const asked = { model: "anthropic", stream: false };
      const id = await firstTurn(asked);
      const other = await first.createKey(await first.createAccount());
      await chatAt(second, other.key, { ...asked, messages: turnAfter(id) });
      assert.ok(!mock.lastCall("anthropic").includes(signature));
    });

    test("neither thoughts nor signatures stand in a file of the data folder", () => {
      for (const text of [thought, signature]) assert.deepEqual(filesWith(first.folder, text), []);
    });
  });
}

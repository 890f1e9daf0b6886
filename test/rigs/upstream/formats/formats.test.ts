/**
 * The counting upstream in each format: the makers' own packages read its answers, whole and streamed, and
 * the journal says in one language what was reported.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { bodyFor, type EndpointName, endpointNames, pathOf, readAnswer } from "../../harness/endpoints.ts";
import { post, type Seen } from "../../harness/http-client.ts";
import { readReportedText } from "../../harness/money/calls.ts";
import { tokensText } from "../../harness/streams/tokens.ts";
import { faults } from "../faults.ts";
import type { Plan } from "../plan.ts";
import { startUpstream } from "../server.ts";

const upstream = await startUpstream();
test.after(() => upstream.stop());
const { origin } = new URL(upstream.baseUrl);

const planned = (plan: Partial<Plan>): string =>
  `x-rig:${Buffer.from(JSON.stringify(plan)).toString("base64url")};`;
const plan = (id: string): Partial<Plan> => ({ id, tokens: 9, promptTokens: 30, cachedTokens: 10 });
const text = tokensText("en", 9);
const report = { input: 30, cachedInput: 10, output: 9 };

interface Read {
  readonly text: string;
  readonly usage: unknown;
}

/** Reads a whole answer and a streamed one with the maker's package. */
const readers: Readonly<Record<Exclude<EndpointName, "chat">, (ask: string) => Promise<Read[]>>> = {
  async responses(ask) {
    const client = new OpenAI({ apiKey: "k", baseURL: upstream.baseUrl, maxRetries: 0 });
    const request = { model: "m", input: ask };
    const streamed = await client.responses.stream(request).finalResponse();
    return [await client.responses.create(request), streamed].map(({ output_text: said, usage }) => ({
      text: said,
      usage: [usage?.input_tokens, usage?.input_tokens_details.cached_tokens, usage?.output_tokens],
    }));
  },
  async messages(ask) {
    const client = new Anthropic({ apiKey: "k", baseURL: origin, maxRetries: 0 });
    const request = { model: "m", max_tokens: 50, messages: [{ role: "user" as const, content: ask }] };
    const answers = [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ];
    return answers.map(({ content: [block], usage }) => {
      const cached = usage.cache_read_input_tokens ?? 0;
      const said = block?.type === "text" ? block.text : "";
      return { text: said, usage: [usage.input_tokens + cached, cached, usage.output_tokens] };
    });
  },
  async gemini(ask) {
    const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: origin, apiVersion: "v1" } });
    const request = { model: "m", contents: ask };
    const whole = await client.models.generateContent(request);
    const objects = [];
    for await (const one of await client.models.generateContentStream(request)) objects.push(one);
    const usageIn = (one: typeof whole | undefined): unknown => {
      const usage = one?.usageMetadata;
      return [usage?.promptTokenCount, usage?.cachedContentTokenCount, usage?.candidatesTokenCount];
    };
    return [
      { text: whole.text ?? "", usage: usageIn(whole) },
      { text: objects.map((one) => one.text ?? "").join(""), usage: usageIn(objects.at(-1)) },
    ];
  },
};

for (const [format, read] of Object.entries(readers)) {
  test(`${format}: its maker's package reads text and usage, whole and streamed`, async () => {
    const seen = await read(planned(plan(`sdk-${format}`)));
    assert.deepEqual(seen, [
      { text, usage: [30, 10, 9] },
      { text, usage: [30, 10, 9] },
    ]);
  });
}

function ask(endpoint: EndpointName, isStream: boolean, given: Partial<Plan>): Promise<Seen> {
  const call = { model: "m", isStream, maxTokens: 50, plan: given, text: "x " };
  return post({
    url: origin + pathOf(endpoint, call),
    key: "k",
    body: bodyFor(endpoint, call),
    withinMs: 10_000,
  });
}

for (const endpoint of endpointNames) {
  test(`${endpoint}: an answer is complete with the usage that the journal says`, async () => {
    for (const isStream of [false, true]) {
      const id = `plain-${endpoint}-${isStream}`;
      const { isComplete, usage } = readAnswer(await ask(endpoint, isStream, plan(id)));
      const call = upstream.findCall(id);
      assert.ok(isComplete);
      assert.deepEqual(readReportedText(JSON.stringify(usage)), report);
      assert.deepEqual(readReportedText(call?.usage), report);
      assert.deepEqual([call?.tokens, call?.end], [9, "finished"]);
    }
  });

  test(`${endpoint}: a stream cut anywhere is not complete`, async () => {
    const whole = await ask(endpoint, true, plan(`whole-${endpoint}`));
    const end = whole.body.length;
    for (const cutByte of [1, Math.floor(end / 2), end - 60]) {
      const seen = await ask(endpoint, true, { ...plan(`cut-${endpoint}`), cutByte, how: "end" });
      assert.equal(readAnswer(seen).isComplete, false, String(cutByte));
    }
  });

  test(`${endpoint}: each fault can be made of its answers`, async () => {
    const isEndless = (name: string): boolean =>
      /hang|one_byte|huge_line|endless|usage_(?:huge|nan|negative)/.test(name);
    for (const { name, make } of faults) {
      if (make === undefined || isEndless(name)) continue;
      for (const isStream of [false, true]) {
        const seen = await ask(endpoint, isStream, { fault: name });
        const wanted = /^status_(\d{3})/.exec(name)?.[1];
        if (wanted !== undefined) assert.equal(seen.status, Number(wanted), name);
        else assert.ok(seen.status === 200 || !seen.isWhole || name === "redirect_loopback", name);
      }
    }
    const failed = await ask(endpoint, true, { fault: "error_in_band" });
    assert.match(failed.body.toString("utf8"), /"error"/);
    assert.equal(readAnswer(await ask(endpoint, true, { fault: "done_never" })).isComplete, false);
  });

  test(`${endpoint}: impossible usage is written as it is`, async () => {
    for (const [shape, mark] of [
      ["negative", ":-1"],
      ["huge", "1e18|1000000000000000000"],
      ["nan", "NaN"],
    ] as const)
      for (const isStream of [false, true]) {
        const seen = await ask(endpoint, isStream, { fault: `usage_${shape}` });
        assert.match(seen.body.toString("utf8"), new RegExp(mark), shape);
      }
    const without = await ask(endpoint, true, { fault: "usage_absent" });
    assert.doesNotMatch(without.body.toString("utf8"), /"output_tokens"|TokenCount|completion_tokens/);
  });
}

/** Estimated prompt tokens: all text by length, files by rule instead of by their bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBodyScanners } from "../../request/body/body-scan.ts";
import { promptTokens } from "../generation/prompt-tokens.ts";
import { plainTarget } from "../testing/targets.ts";
import { chat } from "./chat.ts";

const scanners = createBodyScanners(chat.scanned, { jsonDepthMax: 64, jsonValuesMax: 1_000 });

function tokensOf(request: string | object, provider = "openai"): number {
  const body = Buffer.from(typeof request === "string" ? request : JSON.stringify(request));
  const scanner = scanners.create();
  const refused = scanner.push(body);
  if (refused !== undefined) throw refused;
  return promptTokens(chat.read(scanner.end(body), body, plainTarget), body, provider);
}

const messages = [{ role: "user", content: "hi" }];
const ask = (more: object): object => ({ model: "m", messages, ...more });
const own = Math.ceil(JSON.stringify(messages).length / 4);
const long = "word ".repeat(80_000);

test("messages alone count as before, whatever settings stand beside them", () => {
  assert.equal(tokensOf(ask({})), own);
  assert.equal(tokensOf(ask({ temperature: 1, stop: ["x".repeat(700)], user: "me" })), own);
  assert.equal(tokensOf(ask({ metadata: { a: "x".repeat(500), b: "y".repeat(9_000) } })), own);
});

test("a prompt counts wherever it is", () => {
  const places = [
    { tools: [{ type: "function", function: { name: "f", description: long } }] },
    { functions: [{ name: "f", description: long }] },
    { response_format: { type: "json_schema", json_schema: { name: "a", schema: { description: long } } } },
    { documents: [long] },
    { chat_template_kwargs: { system: long } },
    { messages: [{ role: "user", content: [{ type: "thinking", thinking: long }] }] },
    { messages: [{ role: "user", content: [{ type: "text", text: `data:image/png;base64,${long}` }] }] },
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: long } }] }] },
  ];
  for (const place of places) {
    const tokens = tokensOf(ask(place));
    assert.ok(Math.abs(tokens - 100_000) < 500, `${Object.keys(place)}: ${tokens}`);
  }
});

test("a small schema or tool is prompt to the byte, not a setting", () => {
  for (const more of [
    { tools: [{ type: "function", function: { name: "f", description: "a".repeat(200) } }] },
    { functions: [{ name: "f", description: "a".repeat(200) }] },
    {
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", schema: { title: "a".repeat(200) } },
      },
    },
  ]) {
    const [value] = Object.values(more);
    const bytes = JSON.stringify(messages).length + JSON.stringify(value).length;
    assert.equal(tokensOf(ask(more)), Math.ceil(bytes / 4), Object.keys(more)[0]);
  }
});

test("a file counts by its provider's rule, not by its bytes", () => {
  const image = Buffer.alloc(600_000);
  image.write("\u0089PNG", "latin1");
  image.writeUInt32BE(1_024, 16);
  image.writeUInt32BE(1_024, 20);
  const data = image.toString("base64");
  const url = `data:image/png;base64,${data}`;
  const sent = (part: object): object => ask({ messages: [{ role: "user", content: [part] }] });
  const parts: [object, string, number][] = [
    [{ type: "image_url", image_url: { url } }, "openai", 765],
    [{ type: "image_url", image_url: { url, detail: "low" } }, "openai", 85],
    [{ type: "image_url", image_url: url }, "openai", 765],
    [{ type: "image", source: { type: "base64", media_type: "image/png", data } }, "anthropic", 1_399],
    [{ type: "image_url", image_url: { url } }, "google", 1_032],
    [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }, "openai", 765],
    [{ type: "input_audio", input_audio: { data: "A".repeat(640_000), format: "mp3" } }, "openai", 300],
    [{ type: "input_audio", input_audio: { format: "mp3", data: "A".repeat(640_000) } }, "openai", 300],
    [
      { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` } },
      "google",
      3_096,
    ],
  ];
  for (const [part, provider, wanted] of parts) {
    const tokens = tokensOf(sent(part), provider);
    assert.ok(tokens >= wanted && tokens < wanted + 60, `${JSON.stringify(part).slice(0, 60)}: ${tokens}`);
  }
  const escaped = JSON.stringify(sent({ type: "image_url", image_url: { url } }))
    .replace('"data:', '"\\u0064ata:')
    .replaceAll("/", "\\/");
  assert.ok(Math.abs(tokensOf(escaped) - 800) < 40, "escaped");
});

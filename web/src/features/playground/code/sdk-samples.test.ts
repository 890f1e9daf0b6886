/**
 * Samples for other packages are run: each package sends what was asked, to the path it calls, and prints
 * what came.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type SdkName, sdkNames, sdkSample } from "./sdk-samples.ts";

const image = "data:image/png;base64,iVBORw0KGgo=";
const body = {
  model: "maker/model",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: 'Say "hi"' },
    { role: "assistant", content: "Hi." },
    {
      role: "user",
      content: [
        { type: "text", text: "And this?" },
        { type: "image_url", image_url: { url: image } },
      ],
    },
  ],
  temperature: 0.5,
  max_completion_tokens: 64,
};

/** A whole answer in each format, with the text "an answer". */
const answers: Readonly<Record<SdkName, object>> = {
  anthropic: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "an answer" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  google: {
    candidates: [
      { content: { role: "model", parts: [{ text: "an answer" }] }, finishReason: "STOP", index: 0 },
    ],
  },
  langchain: {},
  vercel: {},
};
const chat = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "an answer" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

interface Received {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** Runs code as a module in this folder's reach of packages; gives what it printed. */
function run(file: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, PLAZA_API_KEY: "sk-of-the-test", NODE_OPTIONS: "" },
  });
  const out: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => out.push(String(data)));
  child.on("error", reject);
  child.on("close", () => resolve(out.join("")));
  return promise;
}

for (const name of sdkNames) {
  test(`${name}: the sample runs, asks what was asked and prints the answer`, async (context) => {
    const received: Received[] = [];
    const server = createServer((request, response) => {
      const pieces: string[] = [];
      request.on("data", (data) => pieces.push(String(data)));
      request.on("end", () => {
        const { authorization, "x-api-key": own, "x-goog-api-key": google } = request.headers;
        received.push({
          path: request.url ?? "",
          key: String(authorization ?? own ?? google),
          body: pieces.join(""),
        });
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify("id" in answers[name] || name === "google" ? answers[name] : chat));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    context.after(() => server.close());
    // Packages are found from a folder inside the repository.
    const folder = mkdtempSync(fileURLToPath(new URL("../../../../.sample-", import.meta.url)));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    writeFileSync(`${folder}/sample.mjs`, sdkSample(name, baseUrl, body));
    const printed = await run(`${folder}/sample.mjs`);
    assert.match(printed, /an answer/);
    const [call] = received;
    assert.ok(call !== undefined);
    const paths: Readonly<Record<SdkName, RegExp>> = {
      anthropic: /^\/v1\/messages$/,
      google: /^\/v1(?:beta)?\/models\/maker\/model:generateContent$/,
      langchain: /^\/v1\/chat\/completions$/,
      vercel: /^\/v1\/chat\/completions$/,
    };
    assert.match(call.path, paths[name]);
    assert.match(call.key, /sk-of-the-test/);
    for (const text of ["Be brief.", 'Say \\"hi\\"', "Hi.", "And this?", "iVBORw0KGgo=", "0.5", "64"])
      assert.ok(call.body.includes(text), `${text} in ${call.body}`);
  });
}

test("what a sample does not translate is named, not dropped in silence", () => {
  const more = { ...body, tools: [], response_format: { type: "json_object" } };
  for (const name of ["anthropic", "google", "vercel"] as const)
    assert.match(
      sdkSample(name, "https://p.example/v1", more),
      /^\/\/ Not in this sample: tools, response_format$/m,
    );
  assert.match(sdkSample("langchain", "https://p.example/v1", more), /modelKwargs/);
});

test("no sample holds a secret, and streams are read as they come", () => {
  for (const name of sdkNames) {
    const code = sdkSample(name, "https://p.example/v1", { ...body, stream: true });
    assert.match(code, /process\.env\["PLAZA_API_KEY"\]/);
    assert.match(code, /process\.stdout\.write/);
  }
});

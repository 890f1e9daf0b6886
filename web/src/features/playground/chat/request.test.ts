/** What is not set is not sent; what is set is sent as OpenAI writes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chatBody, countSet, schemaOf, stopsOf, unsetParameters } from "./request.ts";

const hello = { role: "user", text: "Hello", images: [] } as const;

test("nothing set sends model, messages and stream alone", () => {
  assert.deepEqual(chatBody("m", "  ", [hello], unsetParameters), {
    model: "m",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
  });
  assert.equal(countSet(unsetParameters), 0);
});

test("a zero is a value", () => {
  const parameters = { ...unsetParameters, temperature: 0, topP: 0, maxTokens: 0, seed: 0, stream: false };
  assert.deepEqual(chatBody("m", "Be brief.", [hello], parameters), {
    model: "m",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ],
    temperature: 0,
    top_p: 0,
    max_completion_tokens: 0,
    seed: 0,
  });
  assert.equal(countSet(parameters), 5);
});

test("images become parts, with and without text", () => {
  const image = { id: "1", name: "a.png", dataUrl: "data:image/png;base64,AA==", bytes: 1 };
  const part = { type: "image_url", image_url: { url: image.dataUrl } };
  const sent = chatBody(
    "m",
    "",
    [
      { ...hello, images: [image] },
      { ...hello, text: "", images: [image] },
    ],
    unsetParameters,
  );
  assert.deepEqual(sent["messages"], [
    { role: "user", content: [{ type: "text", text: "Hello" }, part] },
    { role: "user", content: [part] },
  ]);
});

test("stops, response format and effort", () => {
  assert.deepEqual(stopsOf("END\n\n\\n\\n"), ["END", "\n\n"]);
  const sent = chatBody("m", "", [hello], {
    ...unsetParameters,
    stop: "END",
    responseFormat: "json_schema",
    schema: '{"type":"object"}',
    reasoningEffort: "low",
  });
  assert.deepEqual(sent["stop"], ["END"]);
  assert.deepEqual(sent["response_format"], {
    type: "json_schema",
    json_schema: { name: "answer", schema: { type: "object" } },
  });
  assert.equal(sent["reasoning_effort"], "low");
});

test("only an object is a schema", () => {
  assert.deepEqual(schemaOf('{"a":1}'), { a: 1 });
  for (const text of ["", "[]", "null", "7", "{"]) assert.equal(schemaOf(text), undefined);
});

test("sounds and documents are parts of their own", () => {
  const wav = { id: "a", name: "a.wav", dataUrl: "data:audio/wav;base64,UklG", bytes: 3 };
  const pdf = { id: "b", name: "b.pdf", dataUrl: "data:application/pdf;base64,JVBE", bytes: 3 };
  const { messages } = chatBody("m", "", [{ ...hello, images: [wav, pdf] }], unsetParameters);
  assert.deepEqual((messages as { content: unknown }[])[0]?.content, [
    { type: "text", text: "Hello" },
    { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
    { type: "file", file: { filename: "b.pdf", file_data: pdf.dataUrl } },
  ]);
});

test("tools are sent as they were written, unreadable ones not at all", () => {
  const tools = [{ type: "function", function: { name: "look" } }];
  const withTools = (text: string) =>
    chatBody("m", "", [hello], { ...unsetParameters, tools: text })["tools"];
  assert.deepEqual(withTools(JSON.stringify(tools)), tools);
  assert.equal(withTools("{"), undefined);
  assert.equal(withTools(""), undefined);
});

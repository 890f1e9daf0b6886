/** Links with prompts: what they carry, and what a foreign one cannot do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unsetParameters } from "../chat/request.ts";
import { readShared, type SharedPrompt, sharedFragment } from "./shared-link.ts";

const prompt: SharedPrompt = {
  model: "maker/model",
  system: "Antworte kurz. 简短回答。",
  text: 'Say "hi" 😀',
  parameters: { ...unsetParameters, temperature: 0, stop: "END", stream: false },
};

test("a link brings the prompt back, and holds only what is set", () => {
  const fragment = sharedFragment(prompt) ?? "";
  assert.match(fragment, /^#prompt=[\w-]+$/);
  assert.deepEqual(readShared(fragment), prompt);
});

test("a prompt too long for a link has none", () => {
  assert.equal(sharedFragment({ ...prompt, text: "x".repeat(20_000) }), undefined);
});

const linkOf = (value: unknown): string =>
  `#prompt=${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

test("what is no prompt is nothing", () => {
  for (const text of ["", "#", "#prompt=", "#prompt=%%%", "#prompt=bm9uZQ", linkOf({ v: 2 }), linkOf([])])
    assert.equal(readShared(text), undefined, text);
  assert.equal(readShared(linkOf({ v: 1, model: 4, system: "", text: "" })), undefined);
});

test("parameters of a foreign link are taken only where they are of the right type", () => {
  const link = linkOf({
    v: 1,
    model: "m",
    system: "",
    text: "",
    parameters: { temperature: "hot", seed: 7, stop: ["a"], stream: "no", keyId: "key_1", __proto__: null },
  });
  assert.deepEqual(readShared(link)?.parameters, { ...unsetParameters, seed: 7 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readerRules } from "../../providers/testing/usage-rules.ts";
import { readUsage } from "./usage.ts";

const required = { promptTokenCount: 100, candidatesTokenCount: 20 };
const plain = { input: 100, cachedInput: 0, cacheWrite: 0, output: 20, reasoning: 0 };
const tokens = (modality: string, tokenCount: unknown) => ({ modality, tokenCount });

readerRules({
  read: readUsage,
  required,
  places: [
    (value) => ({ ...required, promptTokenCount: value ?? 0 }),
    (value) => ({ ...required, candidatesTokenCount: value ?? 0 }),
    (value) => ({ ...required, cachedContentTokenCount: value }),
    (value) => ({ ...required, thoughtsTokenCount: value }),
    (value) => ({ ...required, toolUsePromptTokenCount: value }),
    (value) => ({ ...required, promptTokensDetails: [tokens("AUDIO", value)] }),
    (value) => ({ ...required, promptTokensDetails: [tokens("IMAGE", value)] }),
    (value) => ({ ...required, candidatesTokensDetails: [tokens("AUDIO", value)] }),
    (value) => ({ ...required, candidatesTokensDetails: [tokens("IMAGE", value)] }),
    (value) => ({ ...required, toolUsePromptTokensDetails: [tokens("IMAGE", value)] }),
    (value) => ({
      ...required,
      cachedContentTokenCount: 5,
      cacheTokensDetails: [tokens("AUDIO", value)],
    }),
  ],
});

test("read: cached tokens are inside the prompt; tool results and thoughts are outside of their counts", () => {
  const report = {
    ...required,
    cachedContentTokenCount: 60,
    toolUsePromptTokenCount: 7,
    thoughtsTokenCount: 30,
    totalTokenCount: 157,
  };
  assert.deepEqual(readUsage(report), {
    input: 47,
    cachedInput: 60,
    cacheWrite: 0,
    output: 50,
    reasoning: 30,
  });
  assert.equal(readUsage({ ...required, cachedContentTokenCount: 101 }), undefined);
});

test("read: candidates left out are 0 only where the total says so", () => {
  const report = { promptTokenCount: 100, thoughtsTokenCount: 30, toolUsePromptTokenCount: 7 };
  const expected = { ...plain, input: 107, output: 30, reasoning: 30 };
  assert.deepEqual(readUsage({ ...report, totalTokenCount: 137 }), expected);
  assert.equal(readUsage({ ...report, totalTokenCount: 138 }), undefined);
  assert.equal(readUsage(report), undefined);
});

test("read: audio and images by modality; other modalities are plain tokens", () => {
  const report = {
    ...required,
    toolUsePromptTokenCount: 10,
    promptTokensDetails: [
      tokens("TEXT", 10),
      tokens("AUDIO", 30),
      tokens("IMAGE", 40),
      tokens("VIDEO", 15),
      tokens("DOCUMENT", 5),
    ],
    toolUsePromptTokensDetails: [tokens("AUDIO", 1), tokens("IMAGE", 2)],
    candidatesTokensDetails: [tokens("IMAGE", 12), tokens("AUDIO", 3), tokens("TEXT", 5), null],
  };
  assert.deepEqual(readUsage(report), {
    ...plain,
    input: 110,
    audioInput: 31,
    imageInput: 42,
    audioOutput: 3,
    imageOutput: 12,
  });
});

test("read: of cached audio and images only the fresh ones count apart", () => {
  const report = {
    ...required,
    cachedContentTokenCount: 80,
    promptTokensDetails: [tokens("AUDIO", 60), tokens("IMAGE", 20), tokens("TEXT", 20)],
  };
  const expected = { ...plain, input: 20, cachedInput: 80 };
  // Reported by modality: fresh tokens are exact.
  const cacheTokensDetails = [tokens("AUDIO", 55), tokens("IMAGE", 15), tokens("TEXT", 10)];
  assert.deepEqual(readUsage({ ...report, cacheTokensDetails }), {
    ...expected,
    audioInput: 5,
    imageInput: 5,
  });
  // Not reported by modality: as much as fits.
  assert.deepEqual(readUsage(report), { ...expected, audioInput: 20 });
  const tooMany = { ...report, cacheTokensDetails: [tokens("AUDIO", 61)] };
  assert.equal(readUsage(tooMany), undefined);
  const tools = { toolUsePromptTokenCount: 9, toolUsePromptTokensDetails: [tokens("AUDIO", 9)] };
  assert.equal(readUsage({ ...tooMany, ...tools }), undefined);
});

test("read: more audio and images than tokens is untrusted", () => {
  const details = [tokens("AUDIO", 60), tokens("IMAGE", 41)];
  assert.equal(readUsage({ ...required, promptTokensDetails: details }), undefined);
  const images = { candidatesTokensDetails: [tokens("IMAGE", 21)] };
  assert.equal(readUsage({ ...required, ...images }), undefined);
  assert.equal(readUsage({ ...required, ...images, thoughtsTokenCount: 30 }), undefined);
  assert.equal(readUsage({ ...required, toolUsePromptTokensDetails: [tokens("IMAGE", 101)] }), undefined);
});

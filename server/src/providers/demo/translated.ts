/**
 * The demo for callers of other formats, and its count of tokens: its answers are chat, so what is asked is
 * written as chat.
 */
import { recordOf } from "../../lib/record.ts";
import { chatDecoder } from "../../protocols/openai-chat/decode-answer.ts";
import { encodeRequest } from "../../protocols/openai-chat/encode-request.ts";
import type { LocalCounter, TranslatedScripts } from "../provider.ts";
import { playRequest } from "./play.ts";
import { countPrompt } from "./tokens.ts";

export const translatedDemo: TranslatedScripts = {
  format: "openai-chat",
  decoder: chatDecoder,
  play(conversation, request, model, createdSeconds) {
    const { body } = encodeRequest(conversation, request, model);
    const asked = { ...request, body: Buffer.from(JSON.stringify(body)), spans: {} };
    return playRequest(asked, model, createdSeconds);
  },
};

/** Counts what an answer to the same request reports as its prompt. */
export const demoCounter: LocalCounter = {
  count(conversation, request, model) {
    const { messages, tools } = recordOf(encodeRequest(conversation, request, model).body);
    return countPrompt(Array.isArray(messages) ? messages.map(recordOf) : [], tools);
  },
};

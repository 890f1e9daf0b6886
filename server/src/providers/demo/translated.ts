/** The demo for callers of other formats: its answers are chat, so what they ask is written as chat. */
import { chatDecoder } from "../../protocols/openai-chat/decode-answer.ts";
import { encodeRequest } from "../../protocols/openai-chat/encode-request.ts";
import type { TranslatedScripts } from "../provider.ts";
import { playRequest } from "./play.ts";

export const translatedDemo: TranslatedScripts = {
  format: "openai-chat",
  decoder: chatDecoder,
  play(conversation, request, model, createdSeconds) {
    const { body } = encodeRequest(conversation, request, model);
    const asked = { ...request, body: Buffer.from(JSON.stringify(body)), spans: {} };
    return playRequest(asked, model, createdSeconds);
  },
};

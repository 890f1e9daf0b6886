/** For tests: how a provider with a format of its own serves callers of chat. */
import assert from "node:assert/strict";
import { chatFormat } from "../../protocols/openai-chat/answers/answers.ts";
import type { AnswerTranslation } from "../../protocols/protocol.ts";
import { codecOf } from "../codec-of.ts";
import type { HttpCodec, HttpProvider } from "../provider.ts";

export interface TranslatedChat extends HttpCodec {
  readonly translation: AnswerTranslation;
}

export function translatedChat({ id, formats: [preferred] }: HttpProvider): TranslatedChat {
  assert.ok(preferred !== undefined, id);
  const codec = codecOf(chatFormat, preferred);
  assert.ok(codec.translation !== undefined, id);
  return { ...codec, translation: codec.translation };
}

/** Connects a decoder of another protocol to the Messages writer, for callers that use Messages. */

import { plainSeal } from "../payloads/seal.ts";
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../protocol.ts";
import { translateStream, translateWhole } from "../translate-stream.ts";
import { createRequestReader, type RequestReader } from "./decode-request.ts";
import { type AnswerHead, MessageWriter } from "./encode-answer.ts";
import { estimatePrompt } from "./message/prompt-estimate.ts";

export interface TranslationOptions {
  /** Reads requests. Must be the reader that the request's encoder used, so that a body is parsed once. */
  readonly read?: RequestReader;
}

const readPlain = createRequestReader();

/** The translation of answers that `decoder` reads. */
export function messagesTranslation(
  decoder: AnswerDecoder,
  { read = readPlain }: TranslationOptions = {},
): AnswerTranslation {
  const bound = ({ id, model, request }: AnswerContext) => {
    const { seal = plainSeal } = request;
    const { conversation, showsThoughts } = read(request.body, seal);
    const { isHidden: hidesWords } = conversation.reasoning;
    const promptTokens = request.isStream ? estimatePrompt(conversation, request.body.length) : 0;
    const head: AnswerHead = { id, model, showsThoughts, hidesWords, seal, promptTokens };
    const context: DecodeContext = {
      conversation,
      model,
      memory: request.memory,
      maker: request.maker,
      answerId: id,
    };
    return { head, context };
  };
  return {
    streamType: decoder.streamType,
    isUsageGrowing: decoder.isUsageGrowing,
    stream(answer) {
      const { head, context } = bound(answer);
      const writer = new MessageWriter(head, true);
      return translateStream(decoder, context, writer);
    },
    whole(body, answer, onSaid) {
      const { head, context } = bound(answer);
      const writer = new MessageWriter(head, false);
      return translateWhole(decoder, body, { context, writer }, onSaid);
    },
  };
}

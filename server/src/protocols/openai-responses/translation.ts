/** Connects a decoder of another protocol to the Responses writer, for callers that use Responses. */

import { plainSeal } from "../payloads/seal.ts";
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../protocol.ts";
import { translateStream, translateWhole } from "../translate-stream.ts";
import { createRequestReader, type RequestReader } from "./decode-request.ts";
import { type AnswerHead, ResponseWriter } from "./encode-answer.ts";

export interface TranslationOptions {
  /** Reads requests. Must be the reader that the request's encoder used, so that a body is parsed once. */
  readonly read?: RequestReader;
}

const readPlain = createRequestReader();

/** The translation of answers that `decoder` reads. */
export function responsesTranslation(
  decoder: AnswerDecoder,
  { read = readPlain }: TranslationOptions = {},
): AnswerTranslation {
  const bound = ({ id, createdSeconds, model, request }: AnswerContext) => {
    const { seal = plainSeal } = request;
    const { conversation, toolNames, echo } = read(request.body, seal);
    const head: AnswerHead = {
      id,
      createdSeconds,
      model,
      toolNames,
      seal,
      echo: request.echo === undefined ? echo : { ...echo, ...request.echo },
    };
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
      const writer = new ResponseWriter(head, true);
      return translateStream(decoder, context, writer);
    },
    whole(body, answer, onSaid) {
      const { head, context } = bound(answer);
      const writer = new ResponseWriter(head, false);
      return translateWhole(decoder, body, { context, writer }, onSaid);
    },
  };
}

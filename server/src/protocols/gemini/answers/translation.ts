/** Connects a decoder of another protocol to the Gemini writer, for callers that use Gemini. */

import { plainSeal } from "../../payloads/seal.ts";
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../../protocol.ts";
import { translateStream, translateWhole } from "../../translate-stream.ts";
import { decodeRequest } from "../decode-request.ts";
import { ResponseWriter } from "../encode-answer.ts";

/**
 * The translation of answers that `decoder` reads. Streams are events; for a caller without `alt=sse`,
 * `json-array.ts` turns them into an array.
 */
export function geminiTranslation(decoder: AnswerDecoder): AnswerTranslation {
  const bound = ({ id, model, request }: AnswerContext, isStreamed: boolean) => {
    const { seal = plainSeal } = request;
    const conversation = decodeRequest(request.body, seal);
    const context: DecodeContext = {
      conversation,
      model,
      memory: request.memory,
      maker: request.maker,
      answerId: id,
    };
    const showsThoughts = !conversation.reasoning.isHidden;
    const writer = new ResponseWriter({ id, model, showsThoughts, seal, isStreamed });
    return { context, writer };
  };
  return {
    streamType: decoder.streamType,
    isUsageGrowing: decoder.isUsageGrowing,
    stream(answer) {
      const { context, writer } = bound(answer, true);
      return translateStream(decoder, context, writer);
    },
    whole(body, answer, onSaid) {
      const { context, writer } = bound(answer, false);
      return translateWhole(decoder, body, { context, writer }, onSaid);
    },
  };
}

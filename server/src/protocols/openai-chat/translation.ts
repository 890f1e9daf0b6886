/** Connects a decoder of another protocol to the chat writer, for callers that use chat. */
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../protocol.ts";
import { translateStream, translateWhole } from "../translate-stream.ts";
import { ChunkWriter } from "./chunks.ts";
import { decodeRequest } from "./decode-request.ts";
import type { AnswerHead } from "./encode-answer.ts";
import { MessageBuilder } from "./message.ts";

interface Bound {
  readonly head: AnswerHead;
  readonly context: DecodeContext;
}

function bound({ id, createdSeconds, model, request }: AnswerContext): Bound {
  const conversation = decodeRequest(request.body);
  return {
    head: { id, createdSeconds, model, isLegacy: conversation.toolUse.hasRoomForOne },
    context: { conversation, model, memory: request.memory, maker: request.maker, answerId: id },
  };
}

/** The translation of answers that `decoder` reads. */
export const chatTranslation = (decoder: AnswerDecoder): AnswerTranslation => ({
  streamType: decoder.streamType,
  isUsageGrowing: decoder.isUsageGrowing,
  stream(answer) {
    const { head, context } = bound(answer);
    const writer = new ChunkWriter(head);
    return translateStream(decoder, context, writer);
  },
  whole(body, answer, onSaid) {
    const { head, context } = bound(answer);
    const builder = new MessageBuilder(head);
    return translateWhole(decoder, body, { context, writer: builder }, onSaid);
  },
});

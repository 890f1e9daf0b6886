/** Connects a decoder of another protocol to the Gemini writer, for callers that use Gemini. */
import type { Conversation } from "../../../conversation/conversation.ts";
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../../protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { plainSeal, type Seal } from "../request/thought-payload.ts";

export interface TranslationOptions {
  /** Reads requests. Must be the reader that the request's encoder used, so that a body is parsed once. */
  readonly read?: (body: Buffer) => Conversation;
  /** The seal of opaque reasoning payloads. */
  readonly seal?: Seal;
}

/**
 * The translation of answers that `decoder` reads. Streams are events; for a caller without `alt=sse`,
 * `json-array.ts` turns them into an array.
 *
 * @public Not used yet: for Gemini's endpoints.
 */
export function geminiTranslation(
  decoder: AnswerDecoder,
  { read = decodeRequest, seal = plainSeal }: TranslationOptions = {},
): AnswerTranslation {
  const bound = ({ id, model, request }: AnswerContext) => {
    const conversation = read(request.body);
    const context: DecodeContext = { conversation, model, memory: request.memory, answerId: id };
    const writer = new ResponseWriter({ id, model, showsThoughts: !conversation.reasoning.isHidden, seal });
    return { context, writer };
  };
  return {
    streamType: decoder.streamType,
    stream(answer) {
      const { context, writer } = bound(answer);
      const reader = decoder.stream(context, writer);
      return {
        push(chunk) {
          reader.push(chunk);
          return writer.take();
        },
        end() {
          reader.end();
          return writer.take();
        },
      };
    },
    whole(body, answer) {
      const { context, writer } = bound(answer);
      return decoder.whole(body, context, writer) ? writer.build() : undefined;
    },
  };
}

/**
 * Answers of another protocol for a caller that speaks Gemini: what its reader says goes straight into the
 * writer.
 */
import type { Conversation } from "../../../conversation/conversation.ts";
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../../protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { ResponseWriter } from "../encode-answer.ts";
import { plainSeal, type Seal } from "../request/thought-payload.ts";

export interface TranslationOptions {
  /** Reads requests; the same that encoded this one, so that a body is parsed once. */
  readonly read?: (body: Buffer) => Conversation;
  /** Of the payloads of opaque reasoning. */
  readonly seal?: Seal;
}

/**
 * The translation of answers that `decoder` reads. Streams are events; for a caller that did not ask for
 * events (`alt=sse`) `json-array.ts` makes an array of them.
 *
 * @public Nothing asks it yet: Gemini's endpoints do, once they are there.
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

/** Connects a decoder of another protocol to the Responses writer, for callers that use Responses. */
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../protocol.ts";
import { createRequestReader, type DecodedRequest } from "./decode-request.ts";
import { type AnswerHead, ResponseWriter } from "./encode-answer.ts";
import { plainSeal, type Seal } from "./reasoning-payload.ts";

export interface TranslationOptions {
  /** Reads requests. Must be the reader that the request's encoder used, so that a body is parsed once. */
  readonly read?: (body: Buffer) => DecodedRequest;
  /** The seal of opaque reasoning payloads. */
  readonly seal?: Seal;
}

const readPlain = createRequestReader();

/** The translation of answers that `decoder` reads. */
export function responsesTranslation(
  decoder: AnswerDecoder,
  { read = readPlain, seal = plainSeal }: TranslationOptions = {},
): AnswerTranslation {
  const bound = ({ id, createdSeconds, model, request }: AnswerContext) => {
    const { conversation, toolNames, echo } = read(request.body);
    const head: AnswerHead = {
      id,
      createdSeconds,
      model,
      toolNames,
      seal,
      echo: request.echo === undefined ? echo : { ...echo, ...request.echo },
    };
    const context: DecodeContext = { conversation, model, memory: request.memory, answerId: id };
    return { head, context };
  };
  return {
    streamType: decoder.streamType,
    stream(answer) {
      const { head, context } = bound(answer);
      const writer = new ResponseWriter(head, true);
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
      const { head, context } = bound(answer);
      const writer = new ResponseWriter(head, false);
      return decoder.whole(body, context, writer) ? writer.build() : undefined;
    },
  };
}

/**
 * Answers of another protocol for a caller that speaks Responses: what its reader says goes straight into the
 * writer.
 */
import type { AnswerContext, AnswerDecoder, AnswerTranslation, DecodeContext } from "../protocol.ts";
import { createRequestReader, type DecodedRequest } from "./decode-request.ts";
import type { Echo } from "./echo.ts";
import { type AnswerHead, ResponseWriter } from "./encode-answer.ts";
import { plainSeal, type Seal } from "./reasoning-payload.ts";

export interface TranslationOptions {
  /** Reads requests; the same that encoded this one, so that a body is parsed once. */
  readonly read?: (body: Buffer) => DecodedRequest;
  /** Of the payloads of opaque reasoning. */
  readonly seal?: Seal;
  /** What the gateway knows better than the request: is it stored, what came before it. */
  readonly echo?: (body: Buffer) => Echo;
}

const readPlain = createRequestReader();

/** The translation of answers that `decoder` reads. */
export function responsesTranslation(
  decoder: AnswerDecoder,
  { read = readPlain, seal = plainSeal, echo: own }: TranslationOptions = {},
): AnswerTranslation {
  const bound = ({ id, createdSeconds, model, request }: AnswerContext) => {
    const { conversation, toolNames, echo } = read(request.body);
    const more = own?.(request.body);
    const head: AnswerHead = {
      id,
      createdSeconds,
      model,
      toolNames,
      seal,
      echo: more === undefined ? echo : { ...echo, ...more },
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

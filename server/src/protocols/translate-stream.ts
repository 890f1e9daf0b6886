/**
 * Connects an upstream's decoder with the writer of the caller's format, and counts what the upstream said.
 * The writer may keep back some of it: thoughts that the caller did not ask for, or the arguments of a call
 * until they are complete. The upstream bills them nevertheless, also when the caller leaves before.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type {
  AnswerSink,
  CallHead,
  EndReason,
  OpaqueReasoning,
  StreamSink,
  TokenLogprob,
} from "../conversation/answer.ts";
import type { Citation } from "../conversation/blocks.ts";
import type { Delivered } from "../domain/money/estimate.ts";
import { sizeOfText } from "./content-size.ts";
import type { AnswerDecoder, DecodeContext, StreamTranslator } from "./protocol.ts";

/** An event with more bytes of text than this surely holds more than one token. */
const smallBytesMax = 64;

/** Passes everything on, and counts the words, calls and images of the model. */
class CountingSink<Sink extends AnswerSink> implements AnswerSink {
  protected readonly sink: Sink;
  #events = 0;
  #bytes = 0;
  #mergedBytes = 0;
  #images = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get counted(): Delivered {
    return {
      events: this.#events,
      contentBytes: this.#bytes,
      mergedBytes: this.#mergedBytes,
      images: this.#images,
    };
  }

  #count(text: string): void {
    const { contentBytes, images } = sizeOfText(text);
    this.#images += images;
    if (contentBytes > smallBytesMax) this.#mergedBytes += contentBytes;
    else if (contentBytes > 0) {
      this.#events += 1;
      this.#bytes += contentBytes;
    }
  }

  model(name: string): void {
    this.sink.model(name);
  }

  text(text: string, choice?: number): void {
    this.#count(text);
    this.sink.text(text, choice);
  }

  logprobs(tokens: readonly TokenLogprob[], choice?: number): void {
    this.sink.logprobs(tokens, choice);
  }

  refusal(text: string, choice?: number): void {
    this.#count(text);
    this.sink.refusal(text, choice);
  }

  reasoning(text: string, choice?: number): void {
    this.#count(text);
    this.sink.reasoning(text, choice);
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice?: number): void {
    this.sink.opaqueReasoning(reasoning, choice);
  }

  toolCall(index: number, call: CallHead, choice?: number): void {
    this.#count(call.name);
    this.sink.toolCall(index, call, choice);
  }

  toolArguments(index: number, fragment: string, choice?: number): void {
    this.#count(fragment);
    this.sink.toolArguments(index, fragment, choice);
  }

  customCall(index: number, call: CallHead & { readonly input: string }, choice?: number): void {
    this.#count(call.name);
    this.#count(call.input);
    this.sink.customCall(index, call, choice);
  }

  image(mediaType: string, base64: string, choice?: number): void {
    this.#images += 1;
    this.sink.image(mediaType, base64, choice);
  }

  citation(citation: Citation, choice?: number): void {
    this.sink.citation(citation, choice);
  }

  finish(reason: EndReason, choice?: number, stopText?: string): void {
    this.sink.finish(reason, choice, stopText);
  }

  usage(usage: Usage): void {
    this.sink.usage(usage);
  }
}

/** The same of a stream. */
class CountingStreamSink extends CountingSink<StreamSink> implements StreamSink {
  begin(choice?: number, known?: Usage): void {
    this.sink.begin(choice, known);
  }

  idle(): void {
    this.sink.idle();
  }

  conclude(): void {
    this.sink.conclude();
  }

  reportUsage(): void {
    this.sink.reportUsage();
  }

  error(json: string): void {
    this.sink.error(json);
  }

  close(): void {
    this.sink.close();
  }
}

/** The writer of a caller's format. */
type StreamWriter = StreamSink & {
  /** What was written since the last call. */
  take(): Buffer;
};

/** Translates one stream: `writer` writes what `decoder` reads. */
export function translateStream(
  decoder: AnswerDecoder,
  context: DecodeContext,
  writer: StreamWriter,
): StreamTranslator {
  const sink = new CountingStreamSink(writer);
  const reader = decoder.stream(context, sink);
  return {
    get said() {
      return sink.counted;
    },
    get earlyUsage() {
      return reader.earlyUsage;
    },
    get isWhole() {
      return reader.isWhole;
    },
    push(chunk) {
      reader.push(chunk);
      return writer.take();
    },
    end() {
      reader.end();
      return writer.take();
    },
  };
}

/** The writer of a whole answer in a caller's format. */
type WholeWriter = AnswerSink & {
  /** Undefined: what was written is no answer. */
  build(): Buffer | undefined;
};

/** Translates one whole answer. The rest as of `AnswerTranslation.whole`. */
export function translateWhole(
  decoder: AnswerDecoder,
  body: Buffer,
  { context, writer }: { readonly context: DecodeContext; readonly writer: WholeWriter },
  onSaid: ((said: Delivered) => void) | undefined,
): Buffer | undefined {
  const sink = new CountingSink(writer);
  if (!decoder.whole(body, context, sink)) return undefined;
  const built = writer.build();
  if (built === undefined || onSaid === undefined) return built;
  const { contentBytes, mergedBytes, images } = sink.counted;
  // Nothing came event by event, so that all of it counts by its length.
  onSaid({ events: 0, contentBytes: contentBytes + mergedBytes, mergedBytes: 0, images });
  return built;
}

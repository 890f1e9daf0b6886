/**
 * Step 1, receive: takes the body off the wire under every limit at once (size, depth, number of values, pace) in one
 * pass over its bytes, and finds the top-level fields the gateway reads. It never parses the body as a whole.
 */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { GatewayError } from "@plaza/contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { Tickable, type Ticker } from "../lib/ticker.ts";
import { declaredBytes, type Hold } from "./admit.ts";
import type { ChatScanner, ChatScanners } from "./chat-scan.ts";
import type { CallerWatcher, Reply } from "./reply.ts";
import type { GatewaySettings } from "./settings.ts";

export interface ReceiveContext {
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly scanners: ChatScanners;
}

/** Refuses by the head alone what must not be read: wrong type, compressed, announced too large. */
export function checkBodyHead(req: IncomingMessage, bodyBytesMax: number): void {
  const type = req.headers["content-type"];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new GatewayError("unsupported_media_type", {
      message: "The body must be JSON: send the header Content-Type: application/json.",
    });
  }
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new GatewayError("unsupported_media_type", {
      message: "The body must not be compressed: leave out Content-Encoding.",
    });
  }
  if (Number(req.headers["content-length"] ?? 0) > bodyBytesMax) throw tooLarge(bodyBytesMax);
}

function tooLarge(bodyBytesMax: number): GatewayError {
  return new GatewayError("request_too_large", {
    message: `The request body is larger than this installation accepts (${bodyBytesMax} bytes).`,
  });
}

/** What one body is received with. */
interface Receiving {
  readonly scanner: ChatScanner;
  /** Where the room for the body comes from. */
  readonly hold: Hold;
}

/** Collects one body. A class because it has a lifetime: it listens, ticks, and lets go of everything exactly once. */
class BodyReader extends Tickable implements CallerWatcher {
  readonly #req: IncomingMessage;
  readonly #context: ReceiveContext;
  readonly #scanner: ChatScanner;
  readonly #hold: Hold;
  readonly #isDeclared: boolean;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;
  readonly #reply: Reply;
  readonly #startedMs: number;
  #progressMs: number;
  #resolve!: (body: Buffer) => void;
  #reject!: (error: unknown) => void;

  /** Throws `overloaded` when there is no room for the size declared. */
  constructor(req: IncomingMessage, reply: Reply, context: ReceiveContext, { scanner, hold }: Receiving) {
    super();
    this.#req = req;
    this.#reply = reply;
    this.#context = context;
    this.#scanner = scanner;
    this.#hold = hold;
    const declared = declaredBytes(req);
    this.#isDeclared = declared !== undefined;
    if (declared !== undefined) hold.makeRoom(declared);
    this.#startedMs = context.clock.elapsedMs();
    this.#progressMs = this.#startedMs;
  }

  /** The body's end, or why it never came. The caller's leaving is noticed by the reply, once for the whole request. */
  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#req.on("data", this.#onData);
      this.#req.on("end", this.#onEnd);
      this.#reply.watcher = this;
      this.#context.ticker.add(this);
    });
  }

  tick(nowMs: number): void {
    const { bodyStallMs, bodyRateMin } = this.#context.settings;
    const stalled = nowMs - this.#progressMs > bodyStallMs;
    const allowedMs = bodyStallMs + (this.#bytes / bodyRateMin) * 1000;
    if (stalled || nowMs - this.#startedMs > allowedMs) this.#fail(new GatewayError("request_timeout"));
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isOver) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#context.settings.bodyBytesMax) {
      this.#fail(tooLarge(this.#context.settings.bodyBytesMax));
      return;
    }
    const refused = this.#findRoom(chunk) ?? this.#scanner.push(chunk);
    if (refused !== undefined) {
      this.#fail(refused);
      return;
    }
    this.#progressMs = this.#context.clock.elapsedMs();
    this.#chunks.push(chunk);
  };

  /** Room for a body whose size was not declared is taken as it arrives. */
  #findRoom(chunk: Buffer): unknown {
    if (this.#isDeclared) return undefined;
    try {
      this.#hold.makeRoom(chunk.length);
      return undefined;
    } catch (refusal) {
      return refusal;
    }
  }

  readonly #onEnd = (): void => {
    if (this.#isOver) return;
    this.#letGo();
    const only = this.#chunks[0];
    const body =
      this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
    if (isUtf8(body)) this.#resolve(body);
    else this.#reject(new GatewayError("invalid_request", { message: "The body is not valid UTF-8." }));
  };

  callerLeft(): void {
    this.#fail(new GatewayError("request_timeout", { message: "The request ended before its body did." }));
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#reject(error);
  }

  #letGo(): void {
    this.#isOver = true;
    this.#context.ticker.delete(this);
    this.#reply.watcher = undefined;
  }
}

/**
 * Takes the whole body. Rejects with `request_timeout`, `request_too_large`, `invalid_request` or `overloaded` as soon as one
 * is certain; throws `overloaded` at once when there is no room for the size declared.
 */
export function receive(
  req: IncomingMessage,
  reply: Reply,
  context: ReceiveContext,
  receiving: Receiving,
): Promise<Buffer> {
  return new BodyReader(req, reply, context, receiving).read();
}

/**
 * Takes the body of a call to `/api` off the wire under every limit, as `/v1` does: size,
 * depth, number of values, pace, and a share of the memory for bodies. One pass over the bytes while
 * they arrive; nothing is parsed before the whole body is known to be small enough to parse at once.
 * It must not know what the body means.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { createJsonScannerFactory } from "../lib/json/scan.ts";
import type { JsonScanFault, JsonScanner } from "../lib/json/scan-shapes.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createTicker, Tickable, type Ticker } from "../lib/time/ticker.ts";

/** The boot settings that apply here as well. */
export interface ReceiveSettings {
  readonly bodyStallMs: number;
  /** Bytes per second. */
  readonly bodyRateMin: number;
  readonly jsonDepthMax: number;
  readonly jsonValuesMax: number;
  /** Bytes of all bodies of the process, of which the control plane may hold a share. */
  readonly bodiesBytesMax: number;
}

/** The memory of all bodies of the process (`gateway/gate/overload.ts`). */
export interface BodyMemory {
  /** Holds so many more bytes of a body of which `ownBytes` are held already; returns why not. */
  holdBytes(bytes: number, ownBytes: number): GatewayError | undefined;
  freeBytes(bytes: number): void;
}

/** What one route takes. */
interface BodyBounds {
  readonly bytesMax: number;
  readonly depthMax: number;
  readonly valuesMax: number;
}

/**
 * Takes the whole body of a request. Rejects with a GatewayError as soon as it is certain that it is refused.
 */
export type ReceiveBody = (req: IncomingMessage) => Promise<Buffer>;

export interface Receiver {
  /** Makes the function that takes bodies of a route: of at most `bytesMax` bytes. */
  forRoute(bytesMax: number): ReceiveBody;
}

/** Share of the bodies' memory that bodies of the console may take. */
const memoryShare = 1 / 8;
/** The densest documents people send have a value every eight bytes or so … */
const bytesPerValueMin = 8;
/**
 * … and so many are parsed and checked in about 30 ms: 2,000 models of the
 * connect wizard with all their facts.
 */
const valuesMax = 60_000;

const invalid = (message: Message) => new GatewayError("invalid_request", { message });
const tooLarge = (message: Message) => new GatewayError("request_too_large", { message });

function refusalOf(fault: JsonScanFault, bounds: BodyBounds): GatewayError {
  if (fault.reason === "syntax") return invalid(message("body.notJson"));
  const { at } = fault;
  return tooLarge(
    fault.reason === "depth"
      ? message("body.tooDeep", { max: bounds.depthMax, at })
      : message("body.tooManyValues", { max: bounds.valuesMax, at }),
  );
}

/** Refuses by the head alone; returns the size it declares, undefined where it does not say. */
function declaredBytes({ headers }: IncomingMessage, bytesMax: number): number | undefined {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new GatewayError("unsupported_media_type");
  const length = headers["content-length"];
  if (length === undefined) return undefined;
  if (Number(length) > bytesMax) throw tooLarge(message("body.tooLarge", { max: bytesMax }));
  return Number(length);
}

/** What all bodies of the control plane share. */
interface Shared {
  readonly settings: ReceiveSettings;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly memory: BodyMemory;
}

/**
 * Collects one body. A class because it has a lifetime: it listens, ticks,
 * and lets go of everything exactly once.
 */
class BodyReader extends Tickable {
  readonly #req: IncomingMessage;
  readonly #shared: Shared;
  readonly #bounds: BodyBounds;
  readonly #scanner: JsonScanner;
  readonly #isDeclared: boolean;
  readonly #chunks: Buffer[] = [];
  readonly #startedMs: number;
  #progressMs: number;
  #bytes = 0;
  #heldBytes = 0;
  #isOver = false;
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(req: IncomingMessage, shared: Shared, bounds: BodyBounds, scanner: JsonScanner) {
    super();
    this.#req = req;
    this.#shared = shared;
    this.#bounds = bounds;
    this.#scanner = scanner;
    const declared = declaredBytes(req, bounds.bytesMax);
    this.#isDeclared = declared !== undefined;
    this.#startedMs = shared.clock.elapsedMs();
    this.#progressMs = this.#startedMs;
    const refused = this.#hold(declared ?? 0);
    if (refused !== undefined) throw refused;
  }

  read(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#shared.ticker.add(this);
      this.#req.on("data", this.#onData);
      this.#req.on("end", this.#onEnd);
      this.#req.on("error", this.#onGone);
      this.#req.on("close", this.#onGone);
      // A disconnect before any listener was attached is not reported again.
      if (this.#req.destroyed && !this.#req.readableEnded) this.#onGone();
    });
  }

  tick(nowMs: number): void {
    const { bodyStallMs, bodyRateMin } = this.#shared.settings;
    const allowedMs = bodyStallMs + (this.#bytes / bodyRateMin) * 1000;
    const isLate = nowMs - this.#progressMs > bodyStallMs || nowMs - this.#startedMs > allowedMs;
    if (isLate) this.#fail(new GatewayError("request_timeout"));
  }

  #hold(bytes: number): GatewayError | undefined {
    const refused = this.#shared.memory.holdBytes(bytes, this.#heldBytes);
    if (refused === undefined) this.#heldBytes += bytes;
    return refused;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    const { bytesMax } = this.#bounds;
    const refused =
      this.#bytes > bytesMax
        ? tooLarge(message("body.tooLarge", { max: bytesMax }))
        : this.#isDeclared
          ? undefined
          : this.#hold(chunk.length);
    if (refused !== undefined) {
      this.#fail(refused);
      return;
    }
    const fault = this.#scanner.push(chunk);
    if (fault !== undefined) {
      this.#fail(refusalOf(fault, this.#bounds));
      return;
    }
    this.#progressMs = this.#shared.clock.elapsedMs();
    this.#chunks.push(chunk);
  };

  readonly #onEnd = (): void => {
    const scan = this.#scanner.end();
    const body = Buffer.concat(this.#chunks, this.#bytes);
    if (scan.reason !== undefined) this.#fail(refusalOf(scan, this.#bounds));
    else if (!isUtf8(body)) this.#fail(invalid(message("body.notUtf8")));
    else {
      this.#letGo();
      this.#resolve(body);
    }
  };

  readonly #onGone = (): void => {
    this.#fail(new GatewayError("request_timeout", { message: message("body.cutOff") }));
  };

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#letGo();
    this.#reject(error);
  }

  #letGo(): void {
    this.#isOver = true;
    this.#shared.ticker.delete(this);
    this.#shared.memory.freeBytes(this.#heldBytes);
    this.#chunks.length = 0;
    this.#req.off("data", this.#onData);
    this.#req.off("end", this.#onEnd);
    this.#req.off("close", this.#onGone);
    // Later errors of the connection do not matter here, but an unhandled one would end the process.
    this.#req.off("error", this.#onGone);
    this.#req.on("error", () => {});
  }
}

/** Bounds the memory of the console's bodies to its share, inside the bound of all bodies. */
function shareOf(memory: BodyMemory, bytesMax: number): BodyMemory {
  let heldBytes = 0;
  return {
    holdBytes(bytes, ownBytes) {
      if (heldBytes + bytes > bytesMax && heldBytes > ownBytes)
        return new GatewayError("overloaded", {
          message: message("call.bodiesFull"),
          retryAfterMs: 1_000,
        });
      const refused = memory.holdBytes(bytes, ownBytes);
      if (refused === undefined) heldBytes += bytes;
      return refused;
    },
    freeBytes(bytes) {
      heldBytes -= bytes;
      memory.freeBytes(bytes);
    },
  };
}

export function createReceiver(options: {
  readonly settings: ReceiveSettings;
  readonly clock: Clock;
  readonly memory: BodyMemory;
}): Receiver {
  const { settings, clock } = options;
  const memory = shareOf(options.memory, settings.bodiesBytesMax * memoryShare);
  const shared = { settings, clock, memory, ticker: createTicker(clock) };
  return {
    forRoute(bytesMax) {
      const bounds = {
        bytesMax,
        depthMax: settings.jsonDepthMax,
        valuesMax: Math.min(valuesMax, settings.jsonValuesMax, Math.ceil(bytesMax / bytesPerValueMin)),
      };
      const createScanner = createJsonScannerFactory([], bounds);
      return async (req) => await new BodyReader(req, shared, bounds, createScanner()).read();
    },
  };
}

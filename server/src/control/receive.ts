/**
 * Receives the body of a call to `/api` with all limits, as for `/v1`: size, depth, number of values, rate,
 * and a share of the memory for bodies. Scans the bytes once as they arrive; nothing is parsed before the
 * body is known to be small enough. Does not know what the body means.
 */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { createJsonScannerFactory } from "../lib/json/scan.ts";
import type { JsonScanFault, JsonScanner } from "../lib/json/scan-shapes.ts";
import type { Clock } from "../lib/time/clock.ts";
import { createTicker, Tickable, type Ticker } from "../lib/time/ticker.ts";

/** The startup settings that apply here too. */
export interface ReceiveSettings {
  readonly bodyStallMs: number;
  /** Bytes per second. */
  readonly bodyRateMin: number;
  readonly jsonDepthMax: number;
  readonly jsonValuesMax: number;
  /** Memory for all bodies of the process; the control plane may use a share. */
  readonly bodiesBytesMax: number;
}

/** The memory for all bodies of the process (`gateway/gate/overload.ts`). */
export interface BodyMemory {
  /** Reserves bytes for a body that already has `ownBytes`; returns the refusal if there is no room. */
  holdBytes(bytes: number, ownBytes: number): GatewayError | undefined;
  freeBytes(bytes: number): void;
}

/** Limits of one route. */
interface BodyBounds {
  readonly bytesMax: number;
  readonly depthMax: number;
  readonly valuesMax: number;
}

/** Receives the whole body of a request. Rejects with a GatewayError as soon as a refusal is certain. */
export type ReceiveBody = (req: IncomingMessage) => Promise<Buffer>;

export interface Receiver {
  /** The function that receives bodies for a route with at most `bytesMax` bytes. */
  forRoute(bytesMax: number): ReceiveBody;
}

/** Share of the bodies' memory that the console's bodies may use. */
const memoryShare = 1 / 8;
/** The densest documents have about one value per eight bytes … */
const bytesPerValueMin = 8;
/**
 * … and this many are parsed and checked in about 30 ms: 2,000 models of the connect wizard with all facts.
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

/** Refuses by the headers alone; returns the declared size, or undefined when there is none. */
function declaredBytes({ headers }: IncomingMessage, bytesMax: number): number | undefined {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new GatewayError("unsupported_media_type");
  const length = headers["content-length"];
  if (length === undefined) return undefined;
  if (Number(length) > bytesMax) throw tooLarge(message("body.tooLarge", { max: bytesMax }));
  return Number(length);
}

/** State shared by all bodies of the control plane. */
interface Shared {
  readonly settings: ReceiveSettings;
  readonly clock: Clock;
  readonly ticker: Ticker;
  readonly memory: BodyMemory;
}

/**
 * Receives one body. A class because it has a lifetime: listeners, ticks and memory are released exactly
 * once.
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
      // A disconnect before the listeners were attached is not reported again.
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
    // Later connection errors do not matter, but an unhandled one would end the process.
    this.#req.off("error", this.#onGone);
    this.#req.on("error", () => {});
  }
}

/** Limits the console's bodies to their share, within the limit of all bodies. */
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

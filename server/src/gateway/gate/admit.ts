/**
 * Admits or refuses a request by its headers alone, before authentication and before the body is read. Counts
 * requests in flight, which a graceful drain waits for, and reserves memory for bodies. Refuses when the
 * process is overloaded (`overload.ts`) or its drain time is over.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Overload } from "./overload.ts";

/** What an admitted request holds until it ends. */
export interface BodyReservation {
  /** Reserves memory for more bytes of the body; throws `overloaded` when there is none. */
  makeRoom(bytes: number): void;
  /** Counts the request among the streams until it ends. Called at most once. */
  noteStream(): void;
  /** Releases everything; later calls do nothing. */
  readonly end: () => void;
}

export interface Gate {
  /**
   * Throws `overloaded` when shut or overloaded. `bodyBytes`: declared size of the body, undefined = unknown.
   */
  admit(bodyBytes: number | undefined): BodyReservation;
  /**
   * Throws `overloaded` while overloaded. For requests without a body that reserve nothing and are also
   * served after `shut`.
   */
  glance(): void;
  /**
   * Returns the error `admit` would throw for lack of capacity; undefined when shut, since the route reports
   * that itself.
   */
  refusalOf(bodyBytes: number): GatewayError | undefined;
  /** Marks the process as not ready for traffic. Requests are still served. */
  leave(): void;
  /** Resolves when no request is in flight. */
  whenEmpty(): Promise<void>;
  /** Refuses all further requests. */
  shut(): void;
  readonly inFlight: number;
  /** How many of them are streamed. */
  readonly streams: number;
  readonly isDraining: boolean;
}

/** Size of a request's body by its headers: 0 without a body, undefined when not declared. */
export function declaredBytes({ headers }: Pick<Exchange, "headers">): number | undefined {
  const length = headers["content-length"];
  if (length !== undefined) return Number(length);
  return headers["transfer-encoding"] === undefined ? 0 : undefined;
}

/** Shared by the passes of a gate. */
interface StreamCount {
  streams: number;
}

/** A class because it must be released exactly once, at the end of the answer. */
class GatePass implements BodyReservation {
  #isHeld = true;
  #bytes = 0;
  #isStream = false;
  readonly #overload: Overload;
  readonly #onEnd: () => void;
  readonly #count: StreamCount;

  constructor(overload: Overload, count: StreamCount, onEnd: () => void) {
    this.#overload = overload;
    this.#count = count;
    this.#onEnd = onEnd;
    overload.enter();
  }

  makeRoom(bytes: number): void {
    // A body may keep arriving for a moment after its request has ended; it is not kept.
    if (!this.#isHeld) return;
    const refusal = this.#overload.holdBytes(bytes, this.#bytes);
    if (refusal !== undefined) throw refusal;
    this.#bytes += bytes;
  }

  noteStream(): void {
    if (!this.#isHeld) return;
    this.#isStream = true;
    this.#count.streams += 1;
  }

  readonly end = (): void => {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#isStream) this.#count.streams -= 1;
    this.#overload.freeBytes(this.#bytes);
    this.#overload.leave();
    this.#onEnd();
  };
}

export function createGate(overload: Overload): Gate {
  let isDraining = false;
  let isShut = false;
  const count: StreamCount = { streams: 0 };
  let onEmpty: (() => void) | undefined;
  const onEnd = (): void => {
    if (overload.inFlight === 0) onEmpty?.();
  };

  return {
    admit(bodyBytes) {
      if (isShut) {
        throw new GatewayError("overloaded", {
          message: message("call.stopping"),
          retryAfterMs: 1000,
        });
      }
      const refusal = overload.refusalOf(bodyBytes);
      if (refusal !== undefined) throw refusal;
      return new GatePass(overload, count, onEnd);
    },
    glance() {
      const refusal = overload.refusalOf(0);
      if (refusal !== undefined) throw refusal;
    },
    refusalOf: (bodyBytes) => (isShut ? undefined : overload.refusalOf(bodyBytes)),
    leave() {
      isDraining = true;
    },
    shut() {
      isShut = true;
    },
    whenEmpty() {
      if (overload.inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onEmpty = resolve;
      });
    },
    get streams() {
      return count.streams;
    },
    get inFlight() {
      return overload.inFlight;
    },
    get isDraining() {
      return isDraining;
    },
  };
}

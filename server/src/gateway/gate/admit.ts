/**
 * The gate in front of everything that costs: may this request go on at all? Asked by the head alone, before
 * the caller is known and before the body is read. It keeps count of what is in flight, which the graceful
 * drain waits for, refuses newcomers once the drain's time is over or the process is overloaded
 * (`overload.ts`), and holds the room their bodies take.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import type { Exchange } from "../../lib/net/exchange.ts";
import type { Overload } from "./overload.ts";

/** What one admitted request holds until it ends. */
export interface BodyReservation {
  /** Takes room for so many bytes more of the body; throws `overloaded` when there is none. */
  makeRoom(bytes: number): void;
  /** Gives back everything held; later calls do nothing. */
  readonly end: () => void;
}

export interface Gate {
  /**
   * Throws `overloaded` when shut or overloaded. `bodyBytes`: the declared size of
   * the body, undefined = not declared.
   */
  admit(bodyBytes: number | undefined): BodyReservation;
  /** Throws `overloaded` while overloaded, for what has no body, holds nothing and goes on when shut. */
  glance(): void;
  /** What `admit` would throw for want of capacity; undefined when shut, which is told by the route. */
  refusalOf(bodyBytes: number): GatewayError | undefined;
  /** From now on the process is not ready for traffic; what comes is served all the same. */
  leave(): void;
  /** Resolves when nothing is in flight (any more). */
  whenEmpty(): Promise<void>;
  /** From now on nobody is admitted. */
  shut(): void;
  readonly inFlight: number;
  readonly isDraining: boolean;
}

/** Size of a request's body as its head declares it; 0 without a body, undefined when it does not say. */
export function declaredBytes({ headers }: Pick<Exchange, "headers">): number | undefined {
  const length = headers["content-length"];
  if (length !== undefined) return Number(length);
  return headers["transfer-encoding"] === undefined ? 0 : undefined;
}

/** A class because it has a lifetime: from admission to the end of the answer. */
class GatePass implements BodyReservation {
  #isHeld = true;
  #bytes = 0;
  readonly #overload: Overload;
  readonly #onEnd: () => void;

  constructor(overload: Overload, onEnd: () => void) {
    this.#overload = overload;
    this.#onEnd = onEnd;
    overload.enter();
  }

  makeRoom(bytes: number): void {
    // A body may go on arriving for a moment after its request has ended; nobody keeps it.
    if (!this.#isHeld) return;
    const refusal = this.#overload.holdBytes(bytes, this.#bytes);
    if (refusal !== undefined) throw refusal;
    this.#bytes += bytes;
  }

  readonly end = (): void => {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#overload.freeBytes(this.#bytes);
    this.#overload.leave();
    this.#onEnd();
  };
}

export function createGate(overload: Overload): Gate {
  let isDraining = false;
  let isShut = false;
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
      return new GatePass(overload, onEnd);
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
    get inFlight() {
      return overload.inFlight;
    },
    get isDraining() {
      return isDraining;
    },
  };
}

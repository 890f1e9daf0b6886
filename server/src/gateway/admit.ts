/**
 * Step 4, admit: may this request go on now? The seam where limits and holds belong (DESIGN.md sections 4 and 6): what is
 * taken here is given back exactly once, in the `finally` of `chat.ts`. Today it keeps count of what is in flight, which the
 * graceful drain waits for, and refuses newcomers while the process is draining.
 */
import { GatewayError } from "@plaza/contract/errors.ts";

/** What one admitted request holds until it ends. */
export interface Hold {
  /** Gives back everything held; later calls do nothing. */
  end(): void;
}

export interface Gate {
  /** Throws `overloaded` while draining. */
  admit(): Hold;
  /** From now on nobody is admitted. Resolves when nothing is in flight any more. */
  drain(): Promise<void>;
  readonly inFlight: number;
  readonly isDraining: boolean;
}

export function createGate(): Gate {
  let inFlight = 0;
  let isDraining = false;
  let onEmpty: (() => void) | undefined;

  return {
    admit() {
      if (isDraining) {
        throw new GatewayError("overloaded", {
          message: "This Plaza process is stopping. Send the request again; another one will take it.",
          retryAfterMs: 1000,
        });
      }
      inFlight += 1;
      let isHeld = true;
      return {
        end() {
          if (!isHeld) return;
          isHeld = false;
          inFlight -= 1;
          if (inFlight === 0) onEmpty?.();
        },
      };
    },
    drain() {
      isDraining = true;
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onEmpty = resolve;
      });
    },
    get inFlight() {
      return inFlight;
    },
    get isDraining() {
      return isDraining;
    },
  };
}

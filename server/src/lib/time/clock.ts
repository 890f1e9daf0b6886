/**
 * Time as a dependency: pass a Clock, so that tests and simulators are repeatable. Only this file reads the
 * system's clocks.
 */
export interface Clock {
  /** Unix milliseconds; may jump when the system clock is set. */
  wallMs(): number;
  /** Milliseconds since some fixed moment, fractional; never jumps. For durations and deadlines. */
  elapsedMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  elapsedMs: () => performance.now(),
};

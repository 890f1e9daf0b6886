/**
 * Handles the signals that stop a process from its first moment on. A signal during the start takes effect as
 * soon as there is something to stop.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";

/**
 * Stops the process. `isPatient`: a load balancer may still send traffic; false when a person at a terminal
 * waits.
 */
type Stop = (isPatient: boolean) => Promise<void>;

export interface StopSignals {
  /** True when a stop was requested. Checked between the steps of a start. */
  readonly isAsked: boolean;
  /** Sets what a stop does. Runs it immediately if a stop was already requested. */
  onStop(stop: Stop): void;
}

export interface StopSignalsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Longest time a stop may take before the process exits anyway, in milliseconds. */
  readonly stopMs: number;
  /** Ends the process. */
  readonly exit: (status: number) => void;
  /** Source of the signals: the process. */
  readonly source: Pick<NodeJS.Process, "on">;
  /** True when SIGHUP is a stop too, like SIGINT. */
  readonly stopsOnHangUp: boolean;
}

/**
 * Signals within this time count as one, because Ctrl-C reaches a process directly and again through its
 * launcher. Milliseconds.
 */
const sameSignalMs = 1_000;
const exitFailed = 1;

/** First SIGTERM or SIGINT: stop gracefully. A second one, or a timeout: exit immediately. */
export function catchStopSignals(options: StopSignalsOptions): StopSignals {
  const { clock, log, stopMs, exit, source } = options;
  let askedMs: number | undefined;
  let isPatient = false;
  let stop: Stop | undefined;
  let isBegun = false;

  function begin(): void {
    if (isBegun || stop === undefined) return;
    isBegun = true;
    stop(isPatient).then(
      () => exit(0),
      (error: Error) => {
        log.error("stop_failed", { error: error.message });
        exit(exitFailed);
      },
    );
  }

  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = clock.elapsedMs();
    if (askedMs !== undefined) {
      if (nowMs - askedMs < sameSignalMs) return;
      log.warn("stopping_at_once", { signal });
      exit(exitFailed);
      return;
    }
    askedMs = nowMs;
    isPatient = signal === "SIGTERM";
    log.info("stopping", { signal });
    setTimeout(() => exit(exitFailed), stopMs).unref();
    begin();
  };
  source.on("SIGTERM", onSignal);
  source.on("SIGINT", onSignal);
  if (options.stopsOnHangUp) source.on("SIGHUP", onSignal);
  return {
    get isAsked() {
      return askedMs !== undefined;
    },
    onStop(next) {
      stop = next;
      if (askedMs !== undefined) begin();
    },
  };
}

/**
 * The signals that end a process, heard from the first moment of its start: what one of them asks for is done
 * as soon as there is something to stop. Knows nothing of what is stopped.
 */

import type { Log } from "../lib/telemetry/log.ts";
import type { Clock } from "../lib/time/clock.ts";

/**
 * Ends what runs. `isPatient`: a load balancer may still send traffic;
 * false where a person at a terminal waits.
 */
type Stop = (isPatient: boolean) => Promise<void>;

export interface StopSignals {
  /** True when a stop was requested. Checked between the steps of a start. */
  readonly isAsked: boolean;
  /** What a stop does from now on; runs immediately when a stop was already requested. */
  onStop(stop: Stop): void;
}

export interface StopSignalsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** A stop that takes longer is given up. */
  readonly stopMs: number;
  /** Ends the process. */
  readonly exit: (status: number) => void;
  /** Where signals are heard: the process. */
  readonly source: Pick<NodeJS.Process, "on">;
  /** True when SIGHUP is a stop too, like SIGINT. */
  readonly stopsOnHangUp: boolean;
}

/**
 * Signals this close together are one: a terminal's Ctrl-C reaches a process
 * directly and again through its launcher.
 */
const sameSignalMs = 1_000;
const exitFailed = 1;

/**
 * First SIGTERM or SIGINT: stop gracefully. A later one: stop immediately. So does a timeout.
 */
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

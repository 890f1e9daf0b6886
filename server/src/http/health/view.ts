/**
 * Decides what the health listener answers, from the heartbeats of the serving processes. Pure: the caller
 * reports time and heartbeats.
 */

/** An answer of `/healthz` or `/readyz`. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: string; readonly reason?: string };
}

interface Heartbeat {
  /** Milliseconds since the last heartbeat. */
  silentMs: number;
  /** Why the process should get no traffic; undefined = ready. */
  notReady: string | undefined;
}

/** A class because it keeps the heartbeats received so far. */
export class HealthView {
  readonly #stallMs: number;
  readonly #heartbeats = new Map<number, Heartbeat>();
  #isStopping = false;

  /** A process that is silent for longer than `stallMs` counts as stalled. */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** Records a heartbeat of a process. `notReady`: why it should get no traffic. */
  beat(pid: number, notReady: string | undefined): void {
    this.#heartbeats.set(pid, { silentMs: 0, notReady });
  }

  /** Removes a process that has ended. */
  gone(pid: number): void {
    this.#heartbeats.delete(pid);
  }

  /** Called when all processes are asked to stop. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Adds elapsed time as counted by the listener's thread. Not read from a clock: if that thread itself was
   * suspended, its own pause must not count as a stall.
   */
  pass(ms: number): void {
    for (const heartbeats of this.#heartbeats.values()) heartbeats.silentMs += ms;
  }

  /** 503 when a serving process is stalled; only a restart helps then. */
  health(): HealthAnswer {
    for (const [pid, { silentMs }] of this.#heartbeats) {
      if (silentMs <= this.#stallMs) continue;
      const reason = `the event loop of process ${pid} has stood still for ${Math.floor(silentMs / 1000)} s`;
      return { status: 503, body: { status: "stalled", reason } };
    }
    return { status: 200, body: { status: "ok" } };
  }

  /** 200 when at least one process is ready, because new connections reach it. */
  readiness(): HealthAnswer {
    const reason = this.#isStopping ? "stopping" : this.#whyNotReady();
    return reason === undefined
      ? { status: 200, body: { status: "ready" } }
      : { status: 503, body: { status: "not_ready", reason } };
  }

  #whyNotReady(): string | undefined {
    let reason = "starting";
    for (const { silentMs, notReady } of this.#heartbeats.values()) {
      const why = silentMs > this.#stallMs ? "the event loop stands still" : notReady;
      if (why === undefined) return undefined;
      reason = why;
    }
    return reason;
  }
}

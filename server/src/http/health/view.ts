/**
 * What the health listener says of the serving processes, from what it hears of them: is one standing still,
 * may traffic come? Pure: time passes when it is told so. Knows no sockets and no threads.
 */

/** One answer of `/healthz` or `/readyz`. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: { readonly status: string; readonly reason?: string };
}

interface Heartbeat {
  /** How long nothing has been heard. */
  silentMs: number;
  /** Why it should get no traffic; undefined = it is ready. */
  notReady: string | undefined;
}

/** A class because it has a lifetime: what was heard until now. */
export class HealthView {
  readonly #stallMs: number;
  readonly #heartbeats = new Map<number, Heartbeat>();
  #isStopping = false;

  /** A process that is silent for longer than `stallMs` stands still. */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** The event loop of the process with this id turns. `notReady`: why it should get no traffic. */
  beat(pid: number, notReady: string | undefined): void {
    this.#heartbeats.set(pid, { silentMs: 0, notReady });
  }

  /** The process has ended. */
  gone(pid: number): void {
    this.#heartbeats.delete(pid);
  }

  /** All of them have been told to stop. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * So much time has passed for whoever listens. Counted instead of read off a clock: when the listener
   * itself was stopped, it may not take its own pause for another's.
   */
  pass(ms: number): void {
    for (const heartbeats of this.#heartbeats.values()) heartbeats.silentMs += ms;
  }

  /** 503 when a serving process stands still: nothing but its end helps. */
  health(): HealthAnswer {
    for (const [pid, { silentMs }] of this.#heartbeats) {
      if (silentMs <= this.#stallMs) continue;
      const reason = `the event loop of process ${pid} has stood still for ${Math.floor(silentMs / 1000)} s`;
      return { status: 503, body: { status: "stalled", reason } };
    }
    return { status: 200, body: { status: "ok" } };
  }

  /** 200 when at least one process is ready: newcomers find it. */
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

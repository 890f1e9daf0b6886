/**
 * The holder of this process's leases: registered with the store and kept alive by heartbeats. A process that
 * was suspended for too long notices before it uses its leases again.
 */
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { LeasesStore } from "../../store/ledger/lease-shapes.ts";

export interface HolderOptions {
  readonly store: Pick<LeasesStore, "openHolder" | "heartbeat" | "closeHolder">;
  readonly clock: Clock;
  readonly log: Log;
  readonly newHolderId: () => string;
  /**
   * How long after a heartbeat the store takes this process's leases back, in milliseconds
   * (`store/ledger/holders.ts`).
   */
  readonly holderLifeMs: number;
}

/**
 * Leases are not used in the last milliseconds of a holder's life, because clocks differ and messages take
 * time.
 */
const marginMs = 5_000;

export class Holder {
  readonly #options: HolderOptions;
  readonly #onOpen: () => void;
  #id = "";
  /** Monotonic time in milliseconds until which the leases are certainly valid. */
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;

  /** `onOpen`: there is a new holder, to which nothing is lent yet. */
  constructor(options: HolderOptions, onOpen: () => void) {
    this.#options = options;
    this.#onOpen = onOpen;
  }

  /** Empty before the first. */
  get id(): string {
    return this.#id;
  }

  /** True while what is lent to it may be used. */
  get isValid(): boolean {
    return this.#options.clock.elapsedMs() < this.#validUntilMs;
  }

  /** Nothing may be used until there is a new holder. */
  expire(): void {
    this.#validUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Registers a new holder. Rejects when the store fails. */
  async open(): Promise<void> {
    const { store, clock, newHolderId } = this.#options;
    const id = newHolderId();
    const sentMs = clock.elapsedMs();
    await store.openHolder(id);
    this.#id = id;
    this.#extend(sentMs);
    this.#onOpen();
  }

  /** One heartbeat at a time. Rejects when the store fails. */
  beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** Waits for the heartbeat under way, and closes the holder that came of it. */
  async close(): Promise<void> {
    await this.#beating?.catch(() => {});
    this.expire();
    if (this.#id !== "") await this.#options.store.closeHolder(this.#id);
  }

  async #beatOnce(): Promise<void> {
    const { store, clock, log } = this.#options;
    const sentMs = clock.elapsedMs();
    if (await store.heartbeat(this.#id)) {
      this.#extend(sentMs);
      return;
    }
    this.expire();
    log.warn("leases_expired", { holder: this.#id });
    await this.open();
  }

  #extend(sentMs: number): void {
    this.#validUntilMs = sentMs + this.#options.holderLifeMs - marginMs;
  }
}

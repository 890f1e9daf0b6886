/**
 * Limits what refused calls cost: the first few per key and reason get a row, the others are counted, and a
 * key with too many is refused before anything else happens. A served call pays for one check. Counts go to
 * the store every few seconds, by key, reason and minute.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { innermostAddress, parseAddress } from "../../../lib/net/address.ts";
import type { Sent } from "../../../lib/net/forwarded.ts";
import type { Log } from "../../../lib/telemetry/log.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { TokenBuckets } from "../../../lib/token-buckets.ts";
import type { RefusalCount, RefusalStore } from "../../../store/requests/refusal-shapes.ts";

/** The key of a call and its account. */
export interface RefusedKey {
  readonly id: string;
  readonly accountId: string;
}

export interface Refusals {
  /**
   * Returns the error when this key had too many refusals recently, and counts this one; undefined otherwise.
   */
  refuseEarly(key: RefusedKey): GatewayError | undefined;
  /**
   * Counts a refused call. True: write a row for it, since no count includes it. `isOurs`: the server is at
   * fault, so the refusal does not count against the key.
   */
  isRow(key: RefusedKey, errorCode: string, isOurs?: boolean): boolean;
  /** Writes all pending counts. Rejects when the store fails. */
  close(): Promise<void>;
}

/** Limits calls with unknown keys, by client address. */
export interface Strangers {
  /**
   * Returns the error when this address sent too many bad keys recently; undefined when the key may be looked
   * up in the store.
   */
  refuseEarly(sent: Sent): GatewayError | undefined;
  /** Counts a call with a bad key. Returns the error to send: `refusal`, or `rate_limit_exceeded`. */
  count(sent: Sent, refusal: GatewayError): GatewayError;
}

/** Maximum number of rows per key and reason in one minute. */
const rowsMax = 5;
const minuteMs = 60_000;
const flushMs = 2_000;
/** Maximum number of distinct key and reason pairs, per minute and between two writes to the store. */
const namesMax = 50_000;
const pendingMax = 10_000;
/** The burst is ten seconds' worth of the rate. */
const burstShare = 1 / 6;

const ofKey = message("call.tooManyOfKey");
const ofAddress = message("call.tooManyOfAddress");

const tooMany = (made: Message, waitMs: number): GatewayError =>
  new GatewayError("rate_limit_exceeded", { message: made, retryAfterMs: Math.max(1_000, waitMs) });

interface Pending extends RefusalCount {
  count: number;
}

/** A class because pending counts and their timer need `close`. */
class RefusalCounts implements Refusals {
  readonly #store: Pick<RefusalStore, "addRefusals">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refused: TokenBuckets;
  /** Rows written in the current minute by key and reason, each at most `rowsMax`. */
  readonly #rows = new Map<string, number>();
  #rowsMinute = 0;
  #pending = new Map<string, Pending>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor({ store, clock, log, perMinute }: RefusalsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#refused = new TokenBuckets({ clock, perMinute, burst: Math.max(1, perMinute * burstShare) });
  }

  refuseEarly(key: RefusedKey): GatewayError | undefined {
    if (this.#refused.size === 0) return undefined;
    const waitMs = this.#refused.waitOf(key.id);
    if (waitMs === 0) return undefined;
    this.#add(key, "rate_limit_exceeded", this.#minute());
    return tooMany(ofKey, waitMs);
  }

  isRow(key: RefusedKey, errorCode: string, isOurs = false): boolean {
    if (!isOurs) this.#refused.take(key.id);
    const minute = this.#minute();
    if (minute !== this.#rowsMinute) {
      this.#rows.clear();
      this.#rowsMinute = minute;
    }
    const name = `${key.id} ${errorCode}`;
    const rows = this.#rows.get(name) ?? 0;
    if (rows < rowsMax && (rows > 0 || this.#rows.size < namesMax)) {
      this.#rows.set(name, rows + 1);
      return true;
    }
    this.#add(key, errorCode, minute);
    return false;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#flush();
  }

  #minute(): number {
    const nowMs = this.#clock.wallMs();
    return nowMs - (nowMs % minuteMs);
  }

  #add({ id: keyId, accountId }: RefusedKey, errorCode: string, minute: number): void {
    const name = `${keyId} ${errorCode} ${minute}`;
    const pending = this.#pending.get(name);
    if (pending !== undefined) pending.count += 1;
    else if (this.#pending.size < pendingMax)
      this.#pending.set(name, { accountId, keyId, errorCode, minute, count: 1 });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flush().catch(() => {});
    }, flushMs).unref();
  }

  #flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => {}).then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const written = this.#pending;
    this.#pending = new Map();
    try {
      await this.#store.addRefusals([...written.values()]);
    } catch (error) {
      this.#log.warn("refusals_not_counted", { error: (error as Error).message });
      // Added back for the next write, as long as there is room.
      for (const { count, ...of } of written.values()) this.#addBack(of, count);
      throw error;
    }
  }

  #addBack(of: Omit<RefusalCount, "count">, count: number): void {
    const name = `${of.keyId} ${of.errorCode} ${of.minute}`;
    const pending = this.#pending.get(name);
    if (pending !== undefined) pending.count += count;
    else if (this.#pending.size < pendingMax) this.#pending.set(name, { ...of, count });
  }
}

export interface RefusalsOptions {
  readonly store: Pick<RefusalStore, "addRefusals">;
  readonly clock: Clock;
  readonly log: Log;
  /** Refused calls per key and minute that are still processed; calls beyond them are refused early. */
  readonly perMinute: number;
}

export function createRefusals(options: RefusalsOptions): Refusals {
  return new RefusalCounts(options);
}

/** The owner of an IPv6 address usually has its whole /64, so the limit is per /64. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const bytes = parseAddress(address);
  const inner = bytes && innermostAddress(bytes);
  return inner?.length === 16 ? Buffer.from(inner.subarray(0, 8)).toString("hex") : address;
}

/** `senderOf` returns the client address of a request. */
export function createStrangers(options: {
  readonly clock: Clock;
  readonly perMinute: number;
  readonly senderOf: (sent: Sent) => string;
}): Strangers {
  const { clock, perMinute, senderOf } = options;
  const refused = new TokenBuckets({ clock, perMinute, burst: Math.max(1, perMinute * burstShare) });
  const early = (waitMs: number) => tooMany(ofAddress, waitMs);
  return {
    refuseEarly(sent) {
      if (refused.size === 0) return undefined;
      const waitMs = refused.waitOf(networkOf(senderOf(sent)));
      return waitMs === 0 ? undefined : early(waitMs);
    },
    count(sent, refusal) {
      const waitMs = refused.take(networkOf(senderOf(sent)));
      return waitMs === 0 ? refusal : early(waitMs);
    },
  };
}

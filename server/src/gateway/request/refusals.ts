/**
 * Refused calls: which get a row of their own, how many the others are, and who has so many that further
 * calls are refused at once. Costs a call that is served one test. What is counted is written to the store
 * every few seconds, by key, reason and minute.
 */

import { GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { innermostAddress, parseAddress } from "../../lib/net/address.ts";
import type { Sent } from "../../lib/net/forwarded.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { TokenBuckets } from "../../lib/token-buckets.ts";
import type { RefusalCount, RefusalStore } from "../../store/requests/refusal-shapes.ts";

/** Whose a call is. */
export interface RefusedKey {
  readonly id: string;
  readonly accountId: string;
}

export interface Refusals {
  /** What a call of this key is refused with at once, having counted it; undefined = it may go on. */
  refuseEarly(key: RefusedKey): GatewayError | undefined;
  /**
   * Counts a refused call. True: it gets a row of its own, and is in no count of the store's. `isOurs`:
   * refused for a trouble of the server's, which is not held against the key.
   */
  isRow(key: RefusedKey, errorCode: string, isOurs?: boolean): boolean;
  /** Writes what is counted; rejects when the store does not take it. */
  close(): Promise<void>;
}

/** Refused calls of addresses whose key is not known. */
export interface Strangers {
  /**
   * What a call with an unknown key is refused with before the store is
   * asked for it; undefined = it is asked.
   */
  refuseEarly(sent: Sent): GatewayError | undefined;
  /** Counts a call whose key was refused; returns what the caller is told. */
  count(sent: Sent, refusal: GatewayError): GatewayError;
}

/** Rows of their own for one key and reason in a minute. */
const rowsMax = 5;
const minuteMs = 60_000;
const flushMs = 2_000;
/** Most keys and reasons counted within a minute, and between two writes. */
const namesMax = 50_000;
const pendingMax = 10_000;
/** Ten seconds' worth at once. */
const burstShare = 1 / 6;

const ofKey = message("call.tooManyOfKey");
const ofAddress = message("call.tooManyOfAddress");

const tooMany = (made: Message, waitMs: number): GatewayError =>
  new GatewayError("rate_limit_exceeded", { message: made, retryAfterMs: Math.max(1_000, waitMs) });

interface Pending extends RefusalCount {
  count: number;
}

/** A class because it has a lifetime: counts wait for a timer. */
class RefusalCounts implements Refusals {
  readonly #store: Pick<RefusalStore, "addRefusals">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refused: TokenBuckets;
  /** Refused calls of this minute by key and reason, up to `rowsMax`. */
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
      // They are tried again with the next, as long as there is room.
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
  /** Refused calls of a key that are looked at per minute; more are refused at once. */
  readonly perMinute: number;
}

export function createRefusals(options: RefusalsOptions): Refusals {
  return new RefusalCounts(options);
}

/** Who owns an IPv6 address owns its /64. */
function networkOf(address: string): string {
  const bytes = parseAddress(address);
  const inner = bytes && innermostAddress(bytes);
  return inner?.length === 16 ? Buffer.from(inner.subarray(0, 8)).toString("hex") : address;
}

/** `senderOf` tells the address a request came from. */
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

/** What one request has of the limits it is under: taken together, or not at all; ended exactly once. */
import type { LocalBucket } from "./bucket.ts";

/** Told of buckets that have something new for the store. */
export interface AdmissionOwner {
  touched(bucket: LocalBucket): void;
}

/** What admits a request within its limits. */
export interface LimitAdmission {
  /** An upstream is about to be called: from now on the request counts. */
  start(): void;
  /**
   * Over: it used so many tokens. Where it was never started, it consumed
   * nothing. Only the first ending counts.
   */
  end(tokens: number): void;
}

/** For requests under no limit. */
export const unlimited: LimitAdmission = { start() {}, end() {} };

const taking = 0;
const taken = 1;
const started = 2;
const ended = 3;

export class Admission implements LimitAdmission {
  readonly #owner: AdmissionOwner;
  /** Requests first, then tokens, then slots. */
  readonly buckets: readonly LocalBucket[];
  /** Units of each. */
  readonly units: readonly number[];
  #state = taking;

  constructor(owner: AdmissionOwner, buckets: readonly LocalBucket[], units: readonly number[]) {
    this.#owner = owner;
    this.buckets = buckets;
    this.units = units;
  }

  /** Takes everything at once; false where something is missing, and then nothing is taken. */
  take(nowMs: number): boolean {
    const { buckets, units } = this;
    for (let index = 0; index < buckets.length; index += 1) {
      if (!(buckets[index] as LocalBucket).has(units[index] as number)) return false;
    }
    for (let index = 0; index < buckets.length; index += 1) {
      (buckets[index] as LocalBucket).take(units[index] as number, nowMs);
    }
    this.#state = taken;
    return true;
  }

  /** Does it find requests waiting before it? */
  hasToWait(): boolean {
    for (const bucket of this.buckets) if (bucket.waiting > 0) return true;
    return false;
  }

  start(): void {
    if (this.#state !== taken) return;
    this.#state = started;
    for (let index = 0; index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index] as LocalBucket;
      if (bucket.kind !== "rpm") continue;
      bucket.spend(1, 1);
      this.#owner.touched(bucket);
    }
  }

  end(tokens: number): void {
    const state = this.#state;
    if (state !== taken && state !== started) return;
    this.#state = ended;
    for (let index = 0; index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index] as LocalBucket;
      const units = this.units[index] as number;
      if (state === started && bucket.kind === "rpm") continue;
      if (state === started && bucket.kind === "tpm") bucket.spend(units, tokens);
      else bucket.giveBack(units);
      this.#owner.touched(bucket);
    }
  }
}

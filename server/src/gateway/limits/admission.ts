/** The units one request takes of its limits: all at once or none, ended exactly once. */
import type { LocalBucket } from "./bucket.ts";

/** Called for buckets with something new to report. */
export interface AdmissionOwner {
  touched(bucket: LocalBucket): void;
}

/** A request's admission under its limits. */
export interface LimitAdmission {
  /** An upstream call is about to begin, so the request now counts. */
  start(): void;
  /**
   * Ends the admission with the tokens used. If never started, everything is returned. Only the first call
   * counts.
   */
  end(tokens: number): void;
}

/** For requests without limits. */
export const unlimited: LimitAdmission = { start() {}, end() {} };

const taking = 0;
const taken = 1;
const started = 2;
const ended = 3;

export class Admission implements LimitAdmission {
  readonly #owner: AdmissionOwner;
  /** Requests, then tokens, then concurrency. */
  readonly buckets: readonly LocalBucket[];
  /** Units taken of each bucket. */
  readonly units: readonly number[];
  #state = taking;

  constructor(owner: AdmissionOwner, buckets: readonly LocalBucket[], units: readonly number[]) {
    this.#owner = owner;
    this.buckets = buckets;
    this.units = units;
  }

  /** Takes all units, or none and returns false. */
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

  /** True when other requests already wait for one of its buckets. */
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

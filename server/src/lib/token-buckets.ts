/**
 * Rate limits by name: a number of actions per minute, with a burst of one full bucket. Memory is bounded:
 * full buckets are forgotten. Knows no project words.
 */
import type { Clock } from "./time/clock.ts";

export interface TokenBucketsOptions {
  readonly clock: Clock;
  readonly perMinute: number;
  /** Size of a bucket; default: one minute's amount. */
  readonly burst?: number;
  /** Most names kept; beyond it the least recently used one is forgotten. */
  readonly namesMax?: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const namesMaxDefault = 20_000;

export class TokenBuckets {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #namesMax: number;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ clock, perMinute, burst = perMinute, namesMax = namesMaxDefault }: TokenBucketsOptions) {
    this.#clock = clock;
    this.#perMs = perMinute / 60_000;
    this.#burst = burst;
    this.#namesMax = namesMax;
  }

  /** Number of kept names, some of which may have a full bucket again. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Milliseconds until a token is available; 0: now. Takes none. */
  waitOf(name: string): number {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return 0;
    const tokens = this.#tokensOf(bucket, this.#clock.elapsedMs());
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perMs;
  }

  /** Takes a token and returns 0, or returns the milliseconds to wait. */
  take(name: string): number {
    const nowMs = this.#clock.elapsedMs();
    const known = this.#buckets.get(name);
    const tokens = known === undefined ? this.#burst : this.#tokensOf(known, nowMs);
    if (tokens < 1) return (1 - tokens) / this.#perMs;
    this.#buckets.delete(name);
    if (this.#buckets.size >= this.#namesMax) this.#forgetOldest(nowMs);
    this.#buckets.set(name, { tokens: tokens - 1, atMs: nowMs });
    return 0;
  }

  #tokensOf({ tokens, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.#burst, tokens + (nowMs - atMs) * this.#perMs);
  }

  /** Removes the oldest bucket, and full ones after it. */
  #forgetOldest(nowMs: number): void {
    let isFirst = true;
    for (const [name, bucket] of this.#buckets) {
      if (!isFirst && this.#tokensOf(bucket, nowMs) < this.#burst) break;
      this.#buckets.delete(name);
      isFirst = false;
    }
  }
}

/**
 * Rates by name: each name may do so many things per minute, as many at once as a full bucket holds. Bounded
 * in memory: a bucket that is full again is forgotten. Knows no project words.
 */
import type { Clock } from "./time/clock.ts";

export interface TokenBucketsOptions {
  readonly clock: Clock;
  readonly perMinute: number;
  /** What a full bucket holds; default a minute's worth. */
  readonly burst?: number;
  /** Most names kept; beyond it the one that was quiet longest is forgotten. */
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
  /** The one used longest ago first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ clock, perMinute, burst = perMinute, namesMax = namesMaxDefault }: TokenBucketsOptions) {
    this.#clock = clock;
    this.#perMs = perMinute / 60_000;
    this.#burst = burst;
    this.#namesMax = namesMax;
  }

  /** Names with less than a full bucket, some that are full again among them. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Milliseconds until a token is there; 0 = there is one now. Takes nothing. */
  waitOf(name: string): number {
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return 0;
    const tokens = this.#tokensOf(bucket, this.#clock.elapsedMs());
    return tokens >= 1 ? 0 : (1 - tokens) / this.#perMs;
  }

  /** Takes a token; returns the milliseconds to wait where there is none, 0 = taken. */
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

  /** The oldest bucket is removed in any case, and full ones behind it. */
  #forgetOldest(nowMs: number): void {
    let isFirst = true;
    for (const [name, bucket] of this.#buckets) {
      if (!isFirst && this.#tokensOf(bucket, nowMs) < this.#burst) break;
      this.#buckets.delete(name);
      isFirst = false;
    }
  }
}

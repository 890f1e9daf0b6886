/**
 * The keys in memory, kept current by the store's change feed. Calls with a key that is no longer in memory,
 * or never was, are checked on change all the same.
 */
import type { GatewayError } from "@plaza/contract/errors.ts";
import {
  type CallersUnderWay,
  type CallerUnderWay,
  createCallersUnderWay,
} from "../../gate/callers-under-way.ts";

/** What is remembered of a key. */
export interface KnownKey extends CallerUnderWay {
  readonly digest: string;
  /** True while it is in memory, where change events find it. */
  isKnown: boolean;
  /** Value of `changes` when it was read; a lower value than now means it may be stale. */
  readonly asOf: number;
}

/** Maximum number of keys in memory. */
export const knownKeysMax = 100_000;

export class KnownKeys<Entry extends KnownKey> {
  readonly #known = new Map<string, Entry>();
  readonly #underWay: CallersUnderWay<Entry>;
  /** Number of change events so far. A key read before the latest one may be stale. */
  changes = 0;

  /** `endOf`: as of `createCallersUnderWay`. */
  constructor(endOf: (entry: Entry) => Promise<GatewayError | undefined>) {
    this.#underWay = createCallersUnderWay(endOf);
  }

  get(digest: string): Entry | undefined {
    return this.#known.get(digest);
  }

  /** Takes the place of what was known of the key, and of the oldest key if there are too many. */
  remember(entry: Entry): void {
    const { digest } = entry;
    if (this.#known.size >= knownKeysMax) {
      const oldest = this.#known.values().next().value;
      if (oldest !== undefined) this.#release(oldest);
    }
    const before = this.#known.get(digest);
    if (before !== undefined) this.#release(before);
    entry.isKnown = true;
    this.#known.set(digest, entry);
  }

  /** A call begins with the key. */
  begin(entry: Entry): void {
    entry.running += 1;
    if (entry.running > 1 || entry.isKnown) return;
    this.#underWay.add(entry);
    // Something changed since this entry was read, possibly this key.
    if (entry.asOf !== this.changes) void this.#underWay.lookAgain(entry);
  }

  /** Drops what a change is about, and checks its running calls again. Never rejects. */
  forget(kind: "key" | "account", subject: string): Promise<void> {
    this.changes += 1;
    for (const entry of this.#known.values()) {
      const id = kind === "key" ? entry.key.id : entry.key.accountId;
      if (id === subject) this.#release(entry);
    }
    return this.#underWay.lookAgainAtAll(kind, subject);
  }

  /** Removes an entry from memory. Its running calls are still checked on change. */
  #release(entry: Entry): void {
    this.#known.delete(entry.digest);
    entry.isKnown = false;
    if (entry.running > 0) this.#underWay.add(entry);
  }
}

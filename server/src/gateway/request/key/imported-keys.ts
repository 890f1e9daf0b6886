/**
 * Keys that were imported from another gateway have a form of their own. They are looked up by their digest,
 * and only while the installation has such keys: everywhere else a key of another form costs no look-up.
 */
import type { Clock } from "../../../lib/time/clock.ts";
import type { ApiKeysStore } from "../../../store/accounts/key-shapes.ts";

/** How often the store is asked at most, in milliseconds. */
const pauseMs = 10_000;

export class ImportedKeys {
  readonly #store: Pick<ApiKeysStore, "hasImportedKeys">;
  readonly #clock: Pick<Clock, "elapsedMs">;
  /** Undefined before the store was asked. Keys are rarely all gone again, so true stays true. */
  #found: boolean | undefined;
  #askedAtMs = 0;
  /** True when a key changed since the store was asked. */
  #isStale = false;
  #asking: Promise<boolean> | undefined;

  constructor(store: Pick<ApiKeysStore, "hasImportedKeys">, clock: Pick<Clock, "elapsedMs">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** True when there certainly are none. */
  get isNone(): boolean {
    return this.#found === false && !this.#isStale;
  }

  /** True when there are some. Rejects when the store does not answer. Calls share one question. */
  async any(): Promise<boolean> {
    const { isNone } = this;
    if (this.#found === true || isNone) return this.#found === true;
    if (this.#found === false && this.#clock.elapsedMs() - this.#askedAtMs < pauseMs) return false;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  /** Reports that some key was added or changed. */
  changed(): void {
    this.#isStale = true;
  }

  async #ask(): Promise<boolean> {
    this.#askedAtMs = this.#clock.elapsedMs();
    this.#isStale = false;
    try {
      this.#found = await this.#store.hasImportedKeys();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    return this.#found;
  }
}

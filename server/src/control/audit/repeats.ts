/**
 * Refused actions in the audit log: the first few per minute have their own entries, the others share one
 * entry with their number. So repeated refusals stay visible without filling the disk.
 */

import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { PeopleStore } from "../../store/people/people.ts";

/** Separate entries per minute for one actor and action. */
const exactMax = 5;
const minuteMs = 60_000;
/** Milliseconds between updates of a shared entry. */
const writeEveryMs = 2_000;
/** Most combinations of actor and action counted at a time; further ones share one count. */
const namesMax = 10_000;
const others = "others";

interface Repeat {
  readonly minute: number;
  count: number;
  /** Id of the shared entry, once there is one. */
  line: Promise<number> | undefined;
  isWritten: boolean;
}

/** The entry for a refused action: its own, the first of a shared one, or none beside the shared one. */
export type LineOfRefusal = "own" | "shared" | "none";

/** A class because it has a lifetime: the process's. */
export class RepeatedRefusals {
  readonly #store: Pick<PeopleStore, "endAudit">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #repeats = new Map<string, Repeat>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ store, clock, log }: { store: Pick<PeopleStore, "endAudit">; clock: Clock; log: Log }) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Counts a refusal. `name`: who did what. After `shared`, `share` must be called with the entry at once.
   */
  count(name: string): LineOfRefusal {
    const minute = Math.floor(this.#clock.wallMs() / minuteMs);
    const repeat = this.#find(name, minute);
    repeat.count += 1;
    if (repeat.count <= exactMax) return "own";
    repeat.isWritten = false;
    this.#timer ??= setTimeout(() => void this.#write(), writeEveryMs).unref();
    return repeat.count === exactMax + 1 ? "shared" : "none";
  }

  /** Sets the entry that the rest of this minute shares. */
  share(name: string, line: Promise<number>): void {
    const repeat = this.#repeats.get(name) ?? this.#repeats.get(others);
    if (repeat !== undefined) repeat.line = line;
  }

  #find(name: string, minute: number): Repeat {
    const found = this.#repeats.get(name);
    if (found?.minute === minute) return found;
    // An entry of an earlier minute is updated before it is replaced.
    if (found !== undefined) void this.#writeOne(found);
    const key = found === undefined && this.#repeats.size >= namesMax ? others : name;
    const kept = this.#repeats.get(key);
    if (kept?.minute === minute) return kept;
    const fresh: Repeat = { minute, count: 0, line: undefined, isWritten: true };
    this.#repeats.set(key, fresh);
    return fresh;
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const minute = Math.floor(this.#clock.wallMs() / minuteMs);
    for (const [name, repeat] of this.#repeats) {
      await this.#writeOne(repeat);
      if (repeat.minute < minute && repeat.isWritten) this.#repeats.delete(name);
    }
  }

  async #writeOne(repeat: Repeat): Promise<void> {
    if (repeat.isWritten || repeat.line === undefined) return;
    repeat.isWritten = true;
    const repeated = repeat.count - exactMax;
    try {
      const detail = JSON.stringify({ repeated });
      await this.#store.endAudit(await repeat.line, { outcome: "refused", detail });
    } catch (error) {
      this.#log.warn("audit_not_ended", { error: (error as Error).message });
    }
  }
}

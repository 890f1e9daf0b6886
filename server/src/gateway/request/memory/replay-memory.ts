/**
 * Remembers data that upstreams expect back and most clients drop (reasoning signatures), by account and tool
 * call. Kept in memory, bounded in number, size and age. Written to the store in the background for other
 * processes, and read from there only when memory has no entry. Providers cope with missing entries.
 */

import type { Log } from "../../../lib/telemetry/log.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { ReplayMemory } from "../../../protocols/protocol.ts";
import type { StorageStore } from "../../../store/operation/storage-shapes.ts";
import type { ReasoningEntry, ReasoningStore } from "../../../store/requests/reasoning-shapes.ts";

const entriesMax = 20_000;
const charactersMax = 32 * 1024 * 1024;
/** Larger values are not kept. */
const entryMax = 256 * 1024;
const keptMs = 24 * 3_600_000;

/** Longest tool call id that is kept or looked up. Ids made by upstreams have 9 to 64 characters. */
const idMax = 256;
/**
 * Limits of the write queue, in entries and characters. Beyond either, new entries stay in this process only.
 */
const waitingMax = 1_000;
const waitingCharactersMax = 8 * 1024 * 1024;
/** Maximum number of entries per write. */
const writeMax = 100;
/** Maximum number of ids one request may look up; the newest win. */
const lookUpMax = 200;
/** Longest wait of a request for the store, in milliseconds. */
const lookUpMs = 250;
/** How long a missing id is not looked up again. Short, because the write may still be on its way. */
const absentMs = 30_000;
const absentMax = 10_000;
/** Pause in look-ups after one failed or timed out. */
const restMs = 5_000;

interface Entry {
  readonly value: string;
  readonly atMs: number;
}

/** One request's view of its account's earlier answers. */
export interface RequestMemory extends ReplayMemory {
  /**
   * Looks up in the store the ids `recall` missed since the last call; undefined when there are none.
   * Resolves with true when something was found, so that the upstream request should be rebuilt. Never
   * rejects; takes at most 250 ms.
   */
  lookUp(): Promise<boolean> | undefined;
}

export interface ReplayMemories {
  /** Returns the memory of one account. It cannot reach other accounts' entries. */
  of(accountId: string): RequestMemory;
  /** Entries and total characters, for metrics. */
  readonly size: { readonly entries: number; readonly characters: number };
}

type SharedStore = ReasoningStore & Pick<StorageStore, "isBehind">;

export interface ReplayMemoryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The shared store, used only when `isShared`. */
  readonly store: SharedStore;
  readonly isShared: boolean;
}

/** This process's entries in order of last use, least recent first. */
class OwnEntries {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#entries.size;
  }

  get(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (this.#clock.elapsedMs() - entry.atMs > keptMs) {
      this.#forget(name);
      return undefined;
    }
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  set(name: string, value: string): void {
    this.#forget(name);
    this.#entries.set(name, { value, atMs: this.#clock.elapsedMs() });
    this.characters += name.length + value.length;
    while (this.#entries.size > entriesMax || this.characters > charactersMax) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.characters -= name.length + entry.value.length;
  }
}

/** Access to the shared store: one write at a time, and look-ups with a short time limit. */
class SharedEntries {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #store: SharedStore;
  readonly #absentUntil = new Map<string, number>();
  #waiting: ReasoningEntry[] = [];
  #waitingCharacters = 0;
  #isWriting = false;
  #restUntilMs = 0;

  constructor({ clock, log, store }: ReplayMemoryOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#store = store;
  }

  write(entry: ReasoningEntry): void {
    const characters = this.#waitingCharacters + entry.value.length;
    if (this.#waiting.length >= waitingMax || characters > waitingCharactersMax) return;
    this.#waiting.push(entry);
    this.#waitingCharacters = characters;
    if (!this.#isWriting) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.splice(0, writeMax);
      for (const { value } of entries) this.#waitingCharacters -= value.length;
      try {
        await this.#store.storeReasoning(entries, this.#clock.wallMs() + keptMs);
      } catch (error) {
        this.#log.warn("reasoning_not_shared", { error: (error as Error).message, entries: entries.length });
      }
    }
    this.#isWriting = false;
  }

  isWorthAsking(name: string): boolean {
    const until = this.#absentUntil.get(name);
    return until === undefined || this.#clock.elapsedMs() >= until;
  }

  /** Returns the store's entries for these calls; empty when the store fails or is too slow. */
  async find(accountId: string, ids: readonly string[]): Promise<readonly ReasoningEntry[]> {
    if (this.#clock.elapsedMs() < this.#restUntilMs || this.#store.isBehind()) return [];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${lookUpMs} ms`)), lookUpMs);
    });
    try {
      const found = await Promise.race([this.#store.findReasoning(accountId, ids), late]);
      this.#noteAbsent(accountId, ids, found);
      return found;
    } catch (error) {
      this.#restUntilMs = this.#clock.elapsedMs() + restMs;
      this.#log.warn("reasoning_not_found", { error: (error as Error).message });
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  #noteAbsent(accountId: string, ids: readonly string[], found: readonly ReasoningEntry[]): void {
    const untilMs = this.#clock.elapsedMs() + absentMs;
    const there = new Set(found.map(({ toolCallId }) => toolCallId));
    if (this.#absentUntil.size > absentMax) this.#absentUntil.clear();
    for (const id of ids) if (!there.has(id)) this.#absentUntil.set(nameOf(accountId, id), untilMs);
  }
}

const nameOf = (accountId: string, toolCallId: string): string => `${accountId} ${toolCallId}`;

export function createReplayMemories(options: ReplayMemoryOptions): ReplayMemories {
  const own = new OwnEntries(options.clock);
  const shared = options.isShared ? new SharedEntries(options) : undefined;

  function memoryOf(accountId: string): RequestMemory {
    let missed: Set<string> | undefined;
    return {
      recall(toolCallId) {
        const name = nameOf(accountId, toolCallId);
        const value = own.get(name);
        if (value !== undefined || shared === undefined || toolCallId.length > idMax) return value;
        if (shared.isWorthAsking(name)) {
          missed ??= new Set();
          missed.add(toolCallId);
        }
        return undefined;
      },
      remember(toolCallId, value) {
        if (toolCallId.length > idMax || value.length > entryMax) return;
        own.set(nameOf(accountId, toolCallId), value);
        shared?.write({ accountId, toolCallId, value });
      },
      lookUp() {
        if (missed === undefined || shared === undefined) return undefined;
        const ids = [...missed].slice(-lookUpMax);
        missed = undefined;
        return shared.find(accountId, ids).then((found) => {
          for (const { toolCallId, value } of found) own.set(nameOf(accountId, toolCallId), value);
          return found.length > 0;
        });
      },
    };
  }

  return {
    of: memoryOf,
    get size() {
      return { entries: own.count, characters: own.characters };
    },
  };
}

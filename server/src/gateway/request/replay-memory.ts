/**
 * What upstreams want to see again and most clients drop (signatures of reasoning), by account and tool call.
 * Kept in memory, bounded in number, size and age, and in the store for other processes: written there in the
 * background, read only for what memory lacks. Providers work around what is in neither.
 */

import type { Log } from "../../lib/telemetry/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { ReplayMemory } from "../../protocols/protocol.ts";
import type { StorageStore } from "../../store/operation/storage-shapes.ts";
import type { ReasoningEntry, ReasoningStore } from "../../store/requests/reasoning-shapes.ts";

const entriesMax = 20_000;
const charactersMax = 32 * 1024 * 1024;
/** A larger one is not kept. */
const entryMax = 256 * 1024;
const keptMs = 24 * 3_600_000;

/** Longest id of a tool call that is kept or looked for. Upstreams' own have 9 to 64 characters. */
const idMax = 256;
/**
 * What waits to be written: entries, and their characters. Beyond either the
 * newest stay in this process's memory only.
 */
const waitingMax = 1_000;
const waitingCharactersMax = 8 * 1024 * 1024;
/** Most entries of one write. */
const writeMax = 100;
/** Ids one request may have looked for; the newest count. */
const lookUpMax = 200;
/** How long a request waits for the store at most. */
const lookUpMs = 250;
/** An id the store did not have is not looked for again so long; one write may still have been on its way. */
const absentMs = 30_000;
const absentMax = 10_000;
/** After a look-up that failed or took too long the store is left alone so long. */
const restMs = 5_000;

interface Entry {
  readonly value: string;
  readonly atMs: number;
}

/** The memory one request has of its account's earlier answers. */
export interface RequestMemory extends ReplayMemory {
  /**
   * Looks in the store for what `recall` did not find since the last look; undefined where there is nothing
   * to look for. Resolves with true when something was found, so that the call is worth building again. Never
   * rejects, and takes a quarter of a second at most.
   */
  lookUp(): Promise<boolean> | undefined;
}

export interface ReplayMemories {
  /** The memory of one account; others' are out of its reach. */
  of(accountId: string): RequestMemory;
  /** Entries and their characters, for those who watch. */
  readonly size: { readonly entries: number; readonly characters: number };
}

type SharedStore = ReasoningStore & Pick<StorageStore, "isBehind">;

export interface ReplayMemoryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where processes share it, if they do. */
  readonly store: SharedStore;
  readonly isShared: boolean;
}

/** This process's own entries, the oldest first: what is used goes to the end. */
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

/** The way to the store: one write at a time, and look-ups that never hold up a request for long. */
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

  /** What the store has of these calls; none where it cannot be asked, or not soon. */
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

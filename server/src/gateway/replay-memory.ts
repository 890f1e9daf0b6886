/**
 * What upstreams want to see again and most clients drop (signatures of reasoning), kept in memory by account and tool call.
 * Bounded in number, size and age; it is lost with the process, and providers work around what is not there.
 */
import type { Clock } from "../lib/clock.ts";
import type { ReplayMemory } from "../providers/provider.ts";

const entriesMax = 20_000;
const charactersMax = 32 * 1024 * 1024;
/** A larger one is not kept. */
const entryMax = 256 * 1024;
const keptMs = 24 * 3_600_000;

interface Entry {
  readonly value: string;
  readonly atMs: number;
}

export interface ReplayMemories {
  /** The memory of one account; others' are out of its reach. */
  of(accountId: string): ReplayMemory;
  /** Entries and their characters, for those who watch. */
  readonly size: { readonly entries: number; readonly characters: number };
}

export function createReplayMemories(clock: Clock): ReplayMemories {
  // The oldest first: what is used goes to the end.
  const entries = new Map<string, Entry>();
  let characters = 0;

  function forget(name: string): void {
    const entry = entries.get(name);
    if (entry === undefined) return;
    entries.delete(name);
    characters -= name.length + entry.value.length;
  }

  return {
    of: (accountId) => ({
      recall(toolCallId) {
        const name = `${accountId} ${toolCallId}`;
        const entry = entries.get(name);
        if (entry === undefined) return undefined;
        if (clock.elapsedMs() - entry.atMs > keptMs) {
          forget(name);
          return undefined;
        }
        entries.delete(name);
        entries.set(name, entry);
        return entry.value;
      },
      remember(toolCallId, value) {
        const name = `${accountId} ${toolCallId}`;
        if (name.length + value.length > entryMax) return;
        forget(name);
        entries.set(name, { value, atMs: clock.elapsedMs() });
        characters += name.length + value.length;
        while (entries.size > entriesMax || characters > charactersMax) {
          const [oldest] = entries.keys();
          if (oldest === undefined) break;
          forget(oldest);
        }
      },
    }),
    get size() {
      return { entries: entries.size, characters };
    },
  };
}

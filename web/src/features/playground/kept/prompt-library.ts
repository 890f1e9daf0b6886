/**
 * Prompts a person keeps, in this browser and by account: name, system prompt, message, parameters. Knows no
 * key and no answer.
 */
import { useSyncExternalStore } from "react";
import { type ChatParameters, unsetParameters } from "../chat/request.ts";

/** A kept prompt. */
export interface KeptPrompt {
  readonly id: string;
  readonly name: string;
  readonly system: string;
  readonly text: string;
  readonly parameters: ChatParameters;
}

/** Most prompts of an account. */
export const promptsMax = 200;

const keyOf = (accountId: string): string => `plaza.prompts.${accountId}`;
const none: readonly KeptPrompt[] = [];

/** Reads what was stored; what is no prompt is left out. */
export function readPrompts(text: string | null): readonly KeptPrompt[] {
  try {
    const read: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(read)) return none;
    return read
      .filter((one: Partial<KeptPrompt> | null) =>
        [one?.id, one?.name, one?.system, one?.text].every((field) => typeof field === "string"),
      )
      .slice(0, promptsMax)
      .map((one: KeptPrompt) => ({ ...one, parameters: { ...unsetParameters, ...one.parameters } }));
  } catch {
    return none;
  }
}

const known = new Map<string, readonly KeptPrompt[]>();
const listeners = new Set<() => void>();

function read(accountId: string): readonly KeptPrompt[] {
  let prompts = known.get(accountId);
  if (prompts === undefined) {
    try {
      prompts = readPrompts(localStorage.getItem(keyOf(accountId)));
    } catch {
      prompts = none;
    }
    known.set(accountId, prompts);
  }
  return prompts;
}

function write(accountId: string, prompts: readonly KeptPrompt[]): void {
  known.set(accountId, prompts);
  try {
    localStorage.setItem(keyOf(accountId), JSON.stringify(prompts));
  } catch {
    // Storage may be off or full; the prompts then last as long as the page.
  }
  for (const changed of listeners) changed();
}

/** Not `randomUUID`, which pages over plain HTTP do not have. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** Keeps a prompt; one of the same name is replaced. The newest comes first. */
export function keepPrompt(accountId: string, prompt: Omit<KeptPrompt, "id">): void {
  const others = read(accountId).filter(({ name }) => name !== prompt.name);
  write(accountId, [{ ...prompt, id: newId() }, ...others].slice(0, promptsMax));
}

/** Deletes one. */
export function dropPrompt(accountId: string, id: string): void {
  write(
    accountId,
    read(accountId).filter((prompt) => prompt.id !== id),
  );
}

/** The prompts of an account, newest first. */
export function usePrompts(accountId: string): readonly KeptPrompt[] {
  return useSyncExternalStore(
    (changed) => {
      // Another tab may have changed them.
      const fromOtherTab = ({ key }: StorageEvent) => {
        if (key !== keyOf(accountId)) return;
        known.delete(accountId);
        changed();
      };
      listeners.add(changed);
      window.addEventListener("storage", fromOtherTab);
      return () => {
        listeners.delete(changed);
        window.removeEventListener("storage", fromOtherTab);
      };
    },
    () => read(accountId),
  );
}

/**
 * What was lately opened through the palette, kept on this device for one user. Another user's are neither
 * shown nor kept.
 */

/** One of them: enough to show it again. */
export interface Recent {
  readonly id: string;
  readonly label: string;
  readonly note?: string;
  readonly to: string;
}

/** Where they are kept; forgotten when the user signs out. */
const recentKey = "plaza.recent";
const recentMax = 6;

function isRecent(value: unknown): value is Recent {
  const given = (value ?? {}) as Record<string, unknown>;
  const isPath = typeof given["to"] === "string" && /^\/(?!\/)/.test(given["to"]);
  const hasNote = given["note"] === undefined || typeof given["note"] === "string";
  return isPath && hasNote && typeof given["id"] === "string" && typeof given["label"] === "string";
}

/** Reads the stored text; what is not ours, or another user's, is nothing. */
export function readRecent(text: string | null, user: string): readonly Recent[] {
  try {
    const { of, items } = JSON.parse(text ?? "{}") as { of?: unknown; items?: unknown };
    return of === user && Array.isArray(items) ? items.filter(isRecent).slice(0, recentMax) : [];
  } catch {
    return [];
  }
}

/** The stored text once this was opened, too: the newest first, each once. */
export function withRecent(text: string | null, user: string, opened: Recent): string {
  const others = readRecent(text, user).filter(({ id }) => id !== opened.id);
  return JSON.stringify({ of: user, items: [opened, ...others].slice(0, recentMax) });
}

/** Those of this user on this device. */
export function recentOf(user: string): readonly Recent[] {
  try {
    return readRecent(localStorage.getItem(recentKey), user);
  } catch {
    return [];
  }
}

/** Remembers one. */
export function noteRecent(user: string, opened: Recent): void {
  try {
    localStorage.setItem(recentKey, withRecent(localStorage.getItem(recentKey), user, opened));
  } catch {
    // Storage may be switched off or full: nothing is remembered.
  }
}

/** What is said of one startup setting, and how entries of the table are written. */
import type { Message } from "@plaza/contract/messages/message.ts";
import type { ValueKind } from "./values.ts";

/** One startup setting. */
export interface Setting<T = unknown> {
  readonly kind: ValueKind<T>;
  /** Default text; `{name}` stands for another setting's value. Absent: unset by default. */
  readonly initial?: string;
  /** How the documentation describes the default when `initial` is absent. */
  readonly initially?: Message;
  /** Command-line flag with the name of its value. */
  readonly flag?: string;
  /** A standard variable that is read when Plaza's own is not set. */
  readonly alias?: string;
  /** Never shown, not even in error messages. */
  readonly isSecret?: boolean;
  readonly text: Message;
}

/** A setting with a default. */
export function setting<T>(
  entry: Setting<T> & { readonly initial: string },
): Setting<T> & { readonly initial: string } {
  return entry;
}

/** A setting that may be unset. */
export function optional<T>(entry: Setting<T> & { readonly initially: Message }): Setting<T | undefined> {
  return entry;
}

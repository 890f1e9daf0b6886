/** For tests: conversations with tools through a provider that translates, for rig P10. Types only. */
import type { Reply } from "./wire.ts";

/**
 * What somebody said, in order; calls and results are matched by their place, as ids may change on the way.
 */
export type Said =
  | { readonly by: "system" | "user" | "assistant"; readonly text: string }
  | { readonly by: "call"; readonly name: string; readonly args: unknown }
  | { readonly by: "result"; readonly ofCall: number; readonly value: unknown };

/** A call of a tool; its arguments are JSON text, whose numbers keep their digits. */
export interface ToolCall {
  readonly name: string;
  readonly args: string;
}

/** What an upstream answers: words, then calls. */
export interface ToolAnswer {
  readonly isStream: boolean;
  /** May be empty. */
  readonly words: string;
  readonly calls: readonly ToolCall[];
}

/** A protocol that `llm-bridge` reads, by its name there. */
export type BridgeProtocol = "anthropic" | "google";

/** How an upstream calls tools, and how what it was sent is read. */
export interface ToolTalk {
  /** The answer in its own form. */
  reply(answer: ToolAnswer): Reply;
  /**
   * What a body sent to it says; or the protocol's name in `llm-bridge`, which
   * reads it with code that is not ours.
   */
  readonly read: BridgeProtocol | ((body: Readonly<Record<string, unknown>>) => Said[]);
}

/** A string that is JSON becomes its value; all others stay. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** The text in two pieces, as streams cut it. */
export const halves = (text: string): string[] => [
  text.slice(0, text.length >> 1),
  text.slice(text.length >> 1),
];

/** JSON in which each `argsMark(place)` is replaced by the arguments of that call, digit by digit. */
export const withArgs = (value: unknown, calls: readonly ToolCall[]): string =>
  JSON.stringify(value).replace(/"@@(\d+)"/g, (_, place: string) => calls[Number(place)]?.args ?? "{}");

/** Stands for the arguments of the call at this place. */
export const argsMark = (place: number): string => `@@${place}`;

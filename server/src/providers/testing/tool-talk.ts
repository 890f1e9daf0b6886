/** For tests: tool conversations through a provider that translates, for rig P10. Types only. */
import type { Reply } from "./wire.ts";

/**
 * The turns of a conversation in order. Calls and results are matched by position, because ids may change in
 * translation.
 */
export type Said =
  | { readonly by: "system" | "user" | "assistant"; readonly text: string }
  | { readonly by: "call"; readonly name: string; readonly args: unknown }
  | { readonly by: "result"; readonly ofCall: number; readonly value: unknown };

/** A tool call. Its arguments are JSON text, so that numbers keep their digits. */
export interface ToolCall {
  readonly name: string;
  readonly args: string;
}

/** An upstream's answer: text, then calls. */
export interface ToolAnswer {
  readonly isStream: boolean;
  /** May be empty. */
  readonly words: string;
  readonly calls: readonly ToolCall[];
}

/** A protocol `llm-bridge` can read, by its name there. */
export type BridgeProtocol = "anthropic" | "google";

/** How an upstream calls tools, and how to read what it was sent. */
export interface ToolTalk {
  /** The answer in the upstream's format. */
  reply(answer: ToolAnswer): Reply;
  /** Reads a body sent to the upstream; or the protocol's name in `llm-bridge`, an independent reader. */
  readonly read: BridgeProtocol | ((body: Readonly<Record<string, unknown>>) => Said[]);
}

/** Parses a string that is JSON; other values are returned unchanged. */
export const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** The text in two pieces, as a stream might split it. */
export const halves = (text: string): string[] => [
  text.slice(0, text.length >> 1),
  text.slice(text.length >> 1),
];

/** JSON in which each `argsMark(place)` is replaced by that call's arguments, with their digits unchanged. */
export const withArgs = (value: unknown, calls: readonly ToolCall[]): string =>
  JSON.stringify(value).replace(/"@@(\d+)"/g, (_, place: string) => calls[Number(place)]?.args ?? "{}");

/** Placeholder for the arguments of the call at this position. */
export const argsMark = (place: number): string => `@@${place}`;

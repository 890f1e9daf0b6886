/**
 * What a client program is to the tests and to docs/call/clients.md: which package it comes in, what its user
 * sets to point it at Plaza, and what else a test sets so that it runs alone and offline. One descriptor per
 * program and wire format.
 */
import type { PackageName, PythonPackage } from "./packages.ts";

export type WireName = "chat" | "messages" | "gemini" | "responses";

export const wireNames: readonly WireName[] = ["chat", "messages", "gemini", "responses"];

export interface Program {
  readonly id: string;
  /** The client, as a section of the page. */
  readonly client: string;
  /** What of it this is. */
  readonly name: string;
  readonly package: PackageName | PythonPackage;
  /** The wire format it speaks with these settings. */
  readonly wire: WireName;
  /** It sends calls and results back without their ids, as Gemini's format allows. */
  readonly dropsCallIds?: boolean;
  /** Takes few seconds, so that it meets every wire in each run of the tests. */
  readonly isQuick?: boolean;
  /**
   * What its user sets: variables, a file below the home folder, a command run once, and the program.
   * `{origin}`, `{key}` and `{model}` stand for Plaza's address without a path, the key and the model.
   */
  readonly settings: {
    readonly env?: Readonly<Record<string, string>>;
    readonly file?: { readonly path: string; readonly text: string };
    readonly setup?: string;
    readonly command?: string;
    /** In place of all of these, the lines a user of an SDK writes. */
    readonly code?: string;
    /** Of `code`. */
    readonly language?: "ts" | "python";
  };
  /** What its user should know; Markdown, for the page. */
  readonly notes?: string;
  /** For the test alone: no questions, no updates, no reports to its maker. */
  readonly test: {
    /** The command of `settings` as words: without it the program's own name is all there is to start. */
    readonly args: readonly string[];
    /** The words of `settings.setup` without the program's name. */
    readonly setup?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** Files below the home folder. */
    readonly files?: Readonly<Record<string, string>>;
    /**
     * Its executable in the folder it was installed in, or its Python, with the words before its arguments.
     */
    start(folder: string): readonly string[];
  };
}

/** What the placeholders of a program's settings stand for. */
export interface Target {
  readonly origin: string;
  readonly key: string;
  readonly model: string;
}

/** A text of settings with its placeholders filled in. */
export function filled(text: string, { origin, key, model }: Target): string {
  return text.replaceAll("{origin}", origin).replaceAll("{key}", key).replaceAll("{model}", model);
}

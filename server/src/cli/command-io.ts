/** The process environment of a command, passed in so that tests can replace it. */
import type { Environment } from "../config/config.ts";
import type { Clock } from "../lib/time/clock.ts";

export interface CommandIo {
  /** Writes the command's result. */
  out(text: string): void;
  /** Writes notes, warnings and errors. */
  err(text: string): void;
  readonly env: Environment;
  readonly clock: Clock;
  /** Opens the terminal for questions; absent when there is none. */
  readonly terminal?: () => Promise<Terminal>;
}

/** The input of a command: a person at a terminal, or a program's output. */
export interface Terminal {
  /** True when questions can be asked. */
  readonly isInteractive: boolean;
  /** True when standard error is a terminal. */
  readonly showsProgress: boolean;
  /** Asks a question and returns the line typed. */
  ask(question: string): Promise<string>;
  /** The same without showing the input. */
  askSecret(question: string): Promise<string>;
  /** Reads all of standard input, at most `bytesMax`. */
  readAll(bytesMax: number): Promise<string>;
}

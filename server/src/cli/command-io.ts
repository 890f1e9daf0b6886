/** What a command needs of the process around it, passed in so that tests can stand in for it. */
import type { Environment } from "../config/config.ts";
import type { Clock } from "../lib/time/clock.ts";

export interface CommandIo {
  /** Answers: what the command was asked for. */
  out(text: string): void;
  /** Everything said beside the answer: notes, warnings, errors. */
  err(text: string): void;
  readonly env: Environment;
  readonly clock: Clock;
  /** Asks questions; absent when the command runs without a terminal. */
  readonly terminal?: () => Promise<Terminal>;
}

/** The person who types the command, or the program that feeds it. */
export interface Terminal {
  /** True when questions can be asked and answered. */
  readonly isInteractive: boolean;
  /** True when standard error is a terminal. */
  readonly showsProgress: boolean;
  /** The line that is typed. */
  ask(question: string): Promise<string>;
  /** The same, unseen. */
  askSecret(question: string): Promise<string>;
  /** All of standard input, at most `bytesMax`. */
  readAll(bytesMax: number): Promise<string>;
}

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
  /** Where questions are asked; absent: nobody is there to answer. */
  readonly terminal?: () => Promise<Terminal>;
}

/** Whoever types the command, or the program that feeds it. */
export interface Terminal {
  /** Can questions be asked and answered? */
  readonly isInteractive: boolean;
  /** Is standard error looked at as it comes? */
  readonly showsProgress: boolean;
  /** The line that is typed. */
  ask(question: string): Promise<string>;
  /** The same, unseen. */
  askSecret(question: string): Promise<string>;
  /** All of standard input, at most `bytesMax`. */
  readAll(bytesMax: number): Promise<string>;
}

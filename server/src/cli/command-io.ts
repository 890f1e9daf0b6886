/** What a command needs of the process around it, passed in so that tests can stand in for it. */
import type { Environment } from "../config/config.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Terminal } from "./connect/connect-terminal.ts";

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

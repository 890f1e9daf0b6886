/** Why something cannot be connected: a code for programs, one sentence for people. Knows neither the command nor the console. */

/** What of what was given is at fault, where one thing is. */
export type ConnectField = "service" | "baseUrl" | "credential" | "options" | "models";

/** The sentence begins small, names no secret, and is nothing an upstream wrote. */
export class ConnectFailure extends Error {
  readonly code: string;
  readonly field: ConnectField | undefined;

  constructor(code: string, message: string, field?: ConnectField) {
    super(message);
    this.name = "ConnectFailure";
    this.code = code;
    this.field = field;
  }
}

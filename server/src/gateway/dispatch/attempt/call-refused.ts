import type { Fault } from "../../../protocols/protocol.ts";

/** A call that is not made, and the fault the attempt ends with. */
export class CallRefused extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("the call is refused");
    this.fault = fault;
  }
}

/** What the counting upstream needs of a wire format it answers in. Types only. */
import type { Plan } from "../plan.ts";
import type { Asked, Step } from "../script.ts";

/** An error in OpenAI's words; other formats have their own for the status. */
export interface UpstreamError {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

export interface UpstreamFormat {
  /** The events of a valid stream under a plan, without comments between them. */
  stream(plan: Plan, asked: Asked): Step[];
  /** A valid whole answer. */
  whole(plan: Plan, asked: Asked): Step;
  /** The body of an error. */
  error(status: number, error: UpstreamError): object;
  /** An event of a stream that fails. */
  failure(status: number, error: UpstreamError): Buffer;
}

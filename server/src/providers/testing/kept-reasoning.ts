/**
 * For tests: answers that call a tool after reasoning, which the upstream gets back with the tool's result
 * although the client drops it.
 */

/** The reasoning text and its signature; neither may be readable on disk. */
export const thought = "the-lighthouse-keeper-counts-herons";
export const signature = Buffer.from("signature-of-the-herons-0123456789").toString("base64");

/** One answer of a provider's upstream, about the tool `look` without arguments. */
export interface KeptReasoning {
  /** The service, where its deviations matter. Absent: the provider without a preset. */
  readonly preset?: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** The answer, whole or as a stream. `call`: distinguishes the ids of its tool calls from all others. */
  reply(isStream: boolean, call: number): string | Buffer;
  /** What the upstream must receive of it in the next turn. */
  readonly wanted: readonly string[];
}

/** The startup settings of the data plane as plain numbers; `app.ts` takes them from the config. */
export interface GatewaySettings {
  /** Applies to the decompressed body too. */
  readonly bodyBytesMax: number;
  /** Whether request bodies may be compressed. */
  readonly requestCompression: "on" | "off";
  readonly jsonDepthMax: number;
  readonly jsonValuesMax: number;
  /** Longest pause between two pieces of a body, in milliseconds. */
  readonly bodyStallMs: number;
  /** Lowest average rate of a body, in bytes per second from its first byte. */
  readonly bodyRateMin: number;
  readonly keepAliveCommentMs: number;
  /** Largest event of an upstream stream. */
  readonly eventBytesMax: number;
  /** Largest whole (non-streamed) upstream answer. */
  readonly answerBytesMax: number;
  /** A caller that reads nothing for this long is disconnected. */
  readonly stalledReaderMs: number;
  /** Largest answer stored for a repeat with the same Idempotency-Key. */
  readonly idempotencyBytesMax: number;
  /** How long such an answer is stored, in milliseconds. */
  readonly idempotencyKeptMs: number;
  /** How long a response is kept for the caller's next turn; 0 = not at all. */
  readonly responsesKeptMs: number;
}

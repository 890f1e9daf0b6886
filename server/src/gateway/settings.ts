/** The boot settings the data plane reads, as plain numbers; `app.ts` takes them from the config. */
export interface GatewaySettings {
  /** Of a body unpacked, too. */
  readonly bodyBytesMax: number;
  /** May a body be compressed? */
  readonly requestCompression: "on" | "off";
  readonly jsonDepthMax: number;
  readonly jsonValuesMax: number;
  /** A body must make progress at least this often … */
  readonly bodyStallMs: number;
  /** … and, counted from its first byte, arrive at no less than this many bytes a second. */
  readonly bodyRateMin: number;
  readonly keepAliveCommentMs: number;
  /** Largest single event of an upstream's stream. */
  readonly eventBytesMax: number;
  /** Largest whole (non-streamed) answer of an upstream. */
  readonly answerBytesMax: number;
  /** A caller that takes nothing for this long is dropped. */
  readonly stalledReaderMs: number;
  /** Largest answer that is kept for a call repeated with the same Idempotency-Key … */
  readonly idempotencyBytesMax: number;
  /** … and for how long. */
  readonly idempotencyKeptMs: number;
}

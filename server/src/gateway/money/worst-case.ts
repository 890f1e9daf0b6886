/**
 * The most a request may use, as used by holds, limits and dispatch. Each endpoint computes it in its own
 * way.
 */
export interface WorstCase {
  readonly inputTokens: number;
  /**
   * The part of `inputTokens` that is in the request itself. Files named by URL count against token limits
   * only once they were read.
   */
  readonly sentTokens: number;
  /** Per answer, within the output limit. 0 = this kind of call has no output. */
  readonly outputTokens: number;
  /** Per answer, on top of the output limit: thinking with its own limit, rejected predictions. */
  readonly furtherTokens: number;
  /** Number of answers asked for. */
  readonly answers: number;
  /** True when the caller set an output limit that its upstream obeys. */
  readonly isAsked: boolean;
  /** The output limit to send upstream when the request alone would allow more; undefined = send none. */
  readonly outputLimit: number | undefined;
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

/**
 * The worst case of a call that reads `inputTokens` and writes nothing. `answers`: inputs that each may fill
 * a context; usage is believed up to that many.
 */
export const worstCaseOfInput = (inputTokens: number, answers: number): WorstCase => ({
  inputTokens,
  sentTokens: inputTokens,
  outputTokens: 0,
  furtherTokens: 0,
  answers,
  isAsked: true,
  outputLimit: undefined,
  hasAudio: false,
  hasImages: false,
});

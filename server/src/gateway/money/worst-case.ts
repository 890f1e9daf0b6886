/**
 * The most a request may use, in numbers that hold, limits and dispatch share. Every
 * endpoint estimates it in its own way.
 */
export interface WorstCase {
  readonly inputTokens: number;
  /**
   * Of these, what the request itself holds: files behind addresses do not count against
   * limits of tokens before they are read.
   */
  readonly sentTokens: number;
  /** Of one answer, as far as bounds go. 0 = this kind of call has no output. */
  readonly outputTokens: number;
  /** Of one answer, on top of that: thinking with a bound of its own, a prediction that is rejected. */
  readonly furtherTokens: number;
  /** How many answers are asked for at once. */
  readonly answers: number;
  /** Did the caller name a bound of the output that its upstream obeys? */
  readonly isAsked: boolean;
  /**
   * Where the request could be taken to mean more output than this: the number its upstream has to be told.
   */
  readonly told: number | undefined;
  readonly hasAudio: boolean;
  readonly hasImages: boolean;
}

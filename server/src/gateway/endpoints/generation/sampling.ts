/**
 * Sampling parameters under all their names. Leaving one out changes neither the meaning of the answer nor
 * its cost.
 */
export const samplingParams: readonly string[] = [
  "temperature",
  "top_p",
  "top_k",
  "top_a",
  "min_p",
  "typical_p",
  "presence_penalty",
  "frequency_penalty",
  "repetition_penalty",
  "logit_bias",
  "seed",
];

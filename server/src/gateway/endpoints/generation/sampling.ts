/**
 * Parameters of how a model chooses its words, under all their names: leaving one out changes neither what
 * the answer means nor what it costs.
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

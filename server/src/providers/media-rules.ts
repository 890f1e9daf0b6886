/**
 * Published rules by which vendors count the tokens of files in a prompt. A descriptor names its provider's
 * rule.
 */

/** Tokens of each kind of file, by one vendor's published rule. */
export interface MediaRule {
  /** `width` and `height` in pixels; `detail`: OpenAI's setting of that name. */
  image(width: number, height: number, detail: string | undefined): number;
  readonly perAudioSecond: number;
  readonly perVideoSecond: number;
  readonly perPage: number;
}

/** Scales the size down to fit, in whole numbers; never enlarges. */
function fit(width: number, height: number, most: { long: number; short: number }): [number, number] {
  const ratio = Math.min(1, most.long / Math.max(width, height), most.short / Math.min(width, height));
  return [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
}

/** OpenAI's: counts 512-pixel tiles after fitting into 2048 × 2048 and scaling the short side to 768. */
export const openaiMedia: MediaRule = {
  image(width, height, detail) {
    if (detail === "low") return 85;
    const [wide, high] = fit(width, height, { long: 2_048, short: 768 });
    return 85 + 170 * Math.ceil(wide / 512) * Math.ceil(high / 512);
  },
  perAudioSecond: 10,
  perVideoSecond: 300,
  perPage: 1_000,
};

/** Anthropic's: one token per 750 pixels, after scaling the long side to 1568. */
export const anthropicMedia: MediaRule = {
  image(width, height) {
    const [wide, high] = fit(width, height, { long: 1_568, short: 1_568 });
    return Math.min(1_600, Math.ceil((wide * high) / 750));
  },
  perAudioSecond: 10,
  perVideoSecond: 300,
  perPage: 2_000,
};

/** Google's: 258 tokens for a small image, and for each 768-pixel tile of a larger one. */
export const googleMedia: MediaRule = {
  image(width, height) {
    if (width <= 384 && height <= 384) return 258;
    return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
  },
  perAudioSecond: 32,
  perVideoSecond: 295,
  perPage: 258,
};

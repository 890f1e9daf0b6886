/**
 * The demo's vectors. Words, pairs of words and parts of words are hashed to positions and signs, so texts
 * that share words are closer to each other. The vectors carry no meaning: "cat" and "kitten" are as far
 * apart as any two words.
 */

/** Length of a vector unless the request asks for fewer dimensions. */
export const dimensionsMax = 1_536;

/** Characters of a text that are read; the rest is ignored. */
const textMax = 32_768;
const partLength = 3;
/** Weight of a feature of each kind. */
const [wordWeight, pairWeight, partWeight] = [1, 0.5, 0.25];

/** FNV-1a, 32 bits, over UTF-16 units. The result is mixed once more because its low bits are weak. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

class Features {
  readonly values: Float32Array<ArrayBuffer>;

  constructor(dimensions: number) {
    this.values = new Float32Array(dimensions);
  }

  add(feature: string, weight: number): void {
    const hash = hashOf(feature);
    const place = (hash >>> 1) % this.values.length;
    this.values[place] = (this.values[place] as number) + ((hash & 1) === 0 ? weight : -weight);
  }
}

/**
 * A vector of length 1. When `features` are empty or cancel out, `seed` picks the one dimension that is set.
 */
function unit({ values }: Features, seed: string): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) values[hashOf(seed) % values.length] = 1;
  else for (let at = 0; at < values.length; at += 1) values[at] = (values[at] as number) / length;
  return values;
}

/** The vector of a text, always the same for the same text. `dimensions`: 1 to 1,536. */
export function textVector(text: string, dimensions = dimensionsMax): Float32Array<ArrayBuffer> {
  const features = new Features(dimensions);
  const words =
    text
      .slice(0, textMax)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const [index, word] of words.entries()) {
    features.add(`word ${word}`, wordWeight);
    const before = words[index - 1];
    if (before !== undefined) features.add(`pair ${before} ${word}`, pairWeight);
    const framed = `<${word}>`;
    for (let at = 0; at + partLength <= framed.length; at += 1) {
      features.add(`part ${framed.slice(at, at + partLength)}`, partWeight);
    }
  }
  return unit(features, text);
}

/** The vector of token numbers; each number counts as a word. */
export function tokenVector(
  tokens: readonly number[],
  dimensions = dimensionsMax,
): Float32Array<ArrayBuffer> {
  const features = new Features(dimensions);
  for (const [index, token] of tokens.entries()) {
    features.add(`token ${token}`, wordWeight);
    if (index > 0) features.add(`tokens ${tokens[index - 1]} ${token}`, pairWeight);
  }
  return unit(features, tokens.join(" "));
}

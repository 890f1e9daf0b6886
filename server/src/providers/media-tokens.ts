/**
 * How many tokens files among a prompt probably have, by the rules their providers publish:
 * images by their size, sounds and films by their length, documents by their pages. From
 * the first bytes of a file alone; pure.
 */

/** One file of a prompt. */
export interface MediaPart {
  /** Lower case, like `image/png`; empty where nothing says it. */
  readonly mediaType: string;
  /** The file's first bytes; empty where only its address is known. */
  readonly head: Buffer;
  /** Of the whole file; 0 where only its address is known. */
  readonly bytes: number;
  /** OpenAI's `detail`. */
  readonly detail?: string | undefined;
}

interface MediaRule {
  image(width: number, height: number, detail: string | undefined): number;
  readonly perAudioSecond: number;
  readonly perVideoSecond: number;
  readonly perPage: number;
}

/** Cut down to fit, in whole numbers; never enlarged. */
function fit(width: number, height: number, most: { long: number; short: number }): [number, number] {
  const ratio = Math.min(1, most.long / Math.max(width, height), most.short / Math.min(width, height));
  return [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
}

/** Tiles of 512 pixels after fitting into 2048 by 2048 and cutting the short side to 768. */
const openai: MediaRule = {
  image(width, height, detail) {
    if (detail === "low") return 85;
    const [wide, high] = fit(width, height, { long: 2_048, short: 768 });
    return 85 + 170 * Math.ceil(wide / 512) * Math.ceil(high / 512);
  },
  perAudioSecond: 10,
  perVideoSecond: 300,
  perPage: 1_000,
};

/** A token for 750 pixels, the long side cut to 1568. */
const anthropic: MediaRule = {
  image(width, height) {
    const [wide, high] = fit(width, height, { long: 1_568, short: 1_568 });
    return Math.min(1_600, Math.ceil((wide * high) / 750));
  },
  perAudioSecond: 10,
  perVideoSecond: 300,
  perPage: 2_000,
};

/** 258 tokens for a small image, and for each tile of 768 pixels of a larger one. */
const google: MediaRule = {
  image(width, height) {
    if (width <= 384 && height <= 384) return 258;
    return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
  },
  perAudioSecond: 32,
  perVideoSecond: 295,
  perPage: 258,
};

const rules: Readonly<Record<string, MediaRule>> = {
  openai,
  azure: openai,
  anthropic,
  bedrock: anthropic,
  google,
};

/** Where the bytes do not say it: a square of ordinary size. */
const sideUsual = 1_024;
/** Bytes of a second: of MP3 and its like, of uncompressed speech, of film; and of a page. */
const [soundRate, waveRate, filmRate, pageBytes] = [16_000, 48_000, 125_000, 50_000];
/** Of something that only has an address. */
const secondsUsual = 60;
const pagesUsual = 10;
const bytesPerToken = 4;

/** Tokens of one file for the provider called so. */
export function mediaTokens(provider: string, part: MediaPart): number {
  const rule = rules[provider] ?? openai;
  const { mediaType, head, bytes, detail } = part;
  const [kind] = mediaType.split("/");
  if (kind === "audio")
    return Math.ceil(rule.perAudioSecond * (bytes === 0 ? secondsUsual : soundSeconds(part)));
  if (kind === "video")
    return Math.ceil(rule.perVideoSecond * (bytes === 0 ? secondsUsual : bytes / filmRate));
  if (kind === "text" || mediaType === "application/json") return Math.ceil(bytes / bytesPerToken);
  if (kind === "application") return rule.perPage * (bytes === 0 ? pagesUsual : Math.ceil(bytes / pageBytes));
  const [width, height] = imageSize(head) ?? [sideUsual, sideUsual];
  return rule.image(width, height, detail);
}

/** A wave file says how many bytes a second has; of others it is what is usual. */
function soundSeconds({ head, bytes, mediaType }: MediaPart): number {
  if (head.length >= 32 && head.toString("latin1", 0, 4) === "RIFF") {
    return bytes / (head.readUInt32LE(28) || waveRate);
  }
  return bytes / (/wav|pcm/.test(mediaType) ? waveRate : soundRate);
}

/** Width and height of a PNG, GIF, WebP or JPEG by its first bytes; undefined where they do not say it. */
export function imageSize(head: Buffer): [number, number] | undefined {
  const name = head.toString("latin1", 0, 4);
  let size: [number, number] | undefined;
  if (name === "\u0089PNG" && head.length >= 24) size = [head.readUInt32BE(16), head.readUInt32BE(20)];
  else if (name === "GIF8" && head.length >= 10) size = [head.readUInt16LE(6), head.readUInt16LE(8)];
  else if (name === "RIFF" && head.length >= 30) size = webpSize(head);
  else if (name.startsWith("\u00ff\u00d8")) size = jpegSize(head);
  return size !== undefined && size[0] > 0 && size[1] > 0 ? size : undefined;
}

function webpSize(head: Buffer): [number, number] | undefined {
  switch (head.toString("latin1", 12, 16)) {
    case "VP8 ":
      return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff];
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8X":
      return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
    default:
      return undefined;
  }
}

/** From segment to segment to the one that begins a frame. */
function jpegSize(head: Buffer): [number, number] | undefined {
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)];
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}

/**
 * Estimates the tokens of files in a prompt by their providers' published rules: images by size, audio and
 * video by length, documents by pages. Reads only the first bytes of a file. Pure.
 */

/** One file of a prompt. */
export interface MediaPart {
  /** Lower case, like `image/png`; empty when unknown. */
  readonly mediaType: string;
  /** The file's first bytes; empty when only its URL is known. */
  readonly head: Buffer;
  /** Size of the whole file; 0 when only its URL is known. */
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

/** Scales the size down to fit, in whole numbers; never enlarges. */
function fit(width: number, height: number, most: { long: number; short: number }): [number, number] {
  const ratio = Math.min(1, most.long / Math.max(width, height), most.short / Math.min(width, height));
  return [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
}

/** Counts 512-pixel tiles after fitting into 2048 × 2048 and scaling the short side to 768. */
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

/** One token per 750 pixels, after scaling the long side to 1568. */
const anthropic: MediaRule = {
  image(width, height) {
    const [wide, high] = fit(width, height, { long: 1_568, short: 1_568 });
    return Math.min(1_600, Math.ceil((wide * high) / 750));
  },
  perAudioSecond: 10,
  perVideoSecond: 300,
  perPage: 2_000,
};

/** 258 tokens for a small image, and for each 768-pixel tile of a larger one. */
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

/** Side in pixels of the square assumed for an image of unknown size. */
const sideUsual = 1_024;
/** Assumed bytes per second of compressed audio, uncompressed speech and video, and bytes per page. */
const [soundRate, waveRate, filmRate, pageBytes] = [16_000, 48_000, 125_000, 50_000];
/** Assumed seconds of a file of which only the URL is known. */
const secondsUsual = 60;
const pagesUsual = 10;
const bytesPerToken = 4;

/** Estimated tokens of one file at this provider. */
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

/** Seconds of audio. A WAV header gives the bytes per second; other formats use the assumed rate. */
function soundSeconds({ head, bytes, mediaType }: MediaPart): number {
  if (head.length >= 32 && head.toString("latin1", 0, 4) === "RIFF") {
    return bytes / (head.readUInt32LE(28) || waveRate);
  }
  return bytes / (/wav|pcm/.test(mediaType) ? waveRate : soundRate);
}

/**
 * Width and height of a PNG, GIF, WebP or JPEG from its first bytes; undefined when they do not contain it.
 */
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

/** Skips from segment to segment to the one that starts a frame. */
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

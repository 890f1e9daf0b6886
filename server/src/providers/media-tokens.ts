/**
 * Estimates the tokens of files in a prompt by their providers' published rules: images by size, audio and
 * video by length, documents by pages. Reads only the first bytes of a file. Pure.
 */
import { defaultProvider, providers } from "./index.ts";

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

/** Side in pixels of the square assumed for an image of unknown size. */
const sideUsual = 1_024;
/** Assumed bytes per second of compressed audio, uncompressed speech and video, and bytes per page. */
const [soundRate, waveRate, filmRate, pageBytes] = [16_000, 48_000, 125_000, 50_000];
/** Assumed seconds of a file of which only the URL is known. */
const secondsUsual = 60;
const pagesUsual = 10;
const bytesPerToken = 4;

const rules = new Map(providers.map(({ id, mediaRule }) => [id, mediaRule]));

/** Estimated tokens of one file at this provider; by the default provider's rule where there is none. */
export function mediaTokens(provider: string, part: MediaPart): number {
  const rule = rules.get(provider) ?? defaultProvider.mediaRule;
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

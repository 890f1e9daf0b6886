/**
 * Images that a model made, in formats whose turns have no block for them: what kind of image a base64 text
 * is, and the text Messages callers get instead. What is read is from callers and untrusted.
 */

const types = ["image/png", "image/jpeg", "image/webp"] as const;
type ImageType = (typeof types)[number];

/** How the base64 of each begins. */
const beginnings: Readonly<Record<ImageType, string>> = {
  "image/png": "iVBORw0KGgo",
  "image/jpeg": "/9j/",
  "image/webp": "UklGR",
};

/** The type of an image by its first bytes; undefined: not known. */
export const imageTypeOf = (base64: string): ImageType | undefined =>
  types.find((type) => base64.startsWith(beginnings[type]));

/** True for characters of base64 only. */
export const isBase64 = (text: string): boolean => !/[^A-Za-z0-9+/=]/.test(text);

const opening = "![image](";
const closing = ")";

/** An image as a text of its own. */
export const imageText = (mediaType: string, base64: string): string =>
  `${opening}data:${mediaType};base64,${base64}${closing}`;

/**
 * A shorter text stays text, which costs less than the most an image may (16 tiles of 258 tokens at Gemini).
 * No model makes an image as small.
 */
const charactersMin = 8_192;

/**
 * The data URL in a text that is exactly what `imageText` writes, of a type that its first bytes confirm;
 * undefined for every other text. Linear in the text's length.
 */
export function imageUrlIn(text: string): string | undefined {
  if (text.length < charactersMin || !text.startsWith(opening) || !text.endsWith(closing)) return undefined;
  for (const type of types) {
    const head = `${opening}data:${type};base64,`;
    if (!text.startsWith(head)) continue;
    const base64 = text.slice(head.length, -closing.length);
    if (imageTypeOf(base64) !== type || !isBase64(base64)) return undefined;
    return text.slice(opening.length, -closing.length);
  }
  return undefined;
}

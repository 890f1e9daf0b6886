/**
 * How much of an answer is what the model wrote, in bytes of its text. Everything read
 * here is an upstream's and untrusted.
 */

/** Names of texts that name things, or carry sounds and images, rather than say something. */
const unwritten: ReadonlySet<string> = new Set([
  "role",
  "type",
  "id",
  "data",
  "url",
  "format",
  "signature",
  "encrypted_content",
  "thought_signature",
]);

/**
 * Base64 of sound that is worth as much as a byte of text: 20 tokens are said
 * in a second, 64,000 characters of PCM.
 */
const soundPerByte = 800;

/**
 * What a text adds up to. `raw`: as it stands in JSON, without its quotes;
 * `rawEscaped`: where all beyond ASCII is escaped.
 */
export interface WrittenText {
  readonly bytes: number;
  readonly raw: number;
  readonly rawEscaped: number;
}

/**
 * Every text in a value, tool calls and whatever else is nested in it included; and
 * what its sounds are worth, in bytes.
 */
function textsIn(value: unknown): { readonly texts: readonly string[]; readonly soundBytes: number } {
  const texts: string[] = [];
  let soundBytes = 0;
  // A list of what is left to look at, not a recursion: an upstream decides how deep its answer is.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      texts.push(next);
    } else if (typeof next === "object" && next !== null) {
      // A list's names are its numbers.
      for (const [name, part] of Object.entries(next)) {
        if (isWritten(name)) waiting.push(part);
        if (name === "audio") soundBytes += soundIn(part);
      }
    }
  }
  return { texts, soundBytes };
}

/** Can a text of this name be something the model says? */
export const isWritten = (name: string): boolean => !unwritten.has(name);

/** Bytes of every text in a value. Copies none of them, however long. */
export function writtenBytesIn(value: unknown): number {
  const { texts, soundBytes } = textsIn(value);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), soundBytes);
}

/** The same, and how long the texts are as they stand in JSON: writes every one of them out for that. */
export function writtenIn(value: unknown): WrittenText {
  const { texts, soundBytes } = textsIn(value);
  let bytes = soundBytes;
  let raw = 0;
  let rawEscaped = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    const written = JSON.stringify(text);
    const length = Buffer.byteLength(written);
    raw += length - 2;
    rawEscaped += length === written.length ? length - 2 : escapedLength(written);
  }
  return { bytes, raw, rawEscaped };
}

/** Of a JSON text without its quotes, with six characters for each unit that is not ASCII. */
function escapedLength(written: string): number {
  let length = -2;
  for (let at = 0; at < written.length; at += 1) length += written.charCodeAt(at) < 0x80 ? 1 : 6;
  return length;
}

function soundIn(part: unknown): number {
  const { data } = (typeof part === "object" && part !== null ? part : {}) as { data?: unknown };
  return typeof data === "string" ? Math.ceil(data.length / soundPerByte) : 0;
}

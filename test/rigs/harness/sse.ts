/**
 * Server-sent events for rigs, written independently of the product's reader, so that neither hides an error
 * of the other.
 */

/** One event as a browser or SDK would see it. */
export interface SeenEvent {
  /** The `event:` name, empty when there is none. */
  readonly name: string;
  /** The `data:` lines joined by LF; undefined for a block of comments only. */
  readonly data: string | undefined;
}

/** Splits a stream after each blank line (LF, CRLF or CR); the parts concatenate to the input. */
export function splitEvents(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  let lineStart = 0;
  let index = 0;
  while (index < bytes.length) {
    const byte = bytes[index];
    if (byte !== 10 && byte !== 13) {
      index++;
      continue;
    }
    const isEmptyLine = index === lineStart;
    index += byte === 13 && bytes[index + 1] === 10 ? 2 : 1;
    lineStart = index;
    if (isEmptyLine) {
      pieces.push(bytes.subarray(start, index));
      start = index;
    }
  }
  if (start < bytes.length) pieces.push(bytes.subarray(start));
  return pieces;
}

/** Parses one part of `splitEvents`. */
function readEvent(piece: Buffer): SeenEvent {
  let name = "";
  const data: string[] = [];
  for (const line of piece.toString("utf8").split(/\r\n|\n|\r/)) {
    if (line === "" || line.startsWith(":")) continue;
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") name = value;
  }
  return { name, data: data.length === 0 ? undefined : data.join("\n") };
}

/** True when this part has comments only (a keep-alive). */
export function isComment(piece: Buffer): boolean {
  return (
    piece.length > 0 &&
    readEvent(piece).data === undefined &&
    piece.toString("latin1").trimStart().startsWith(":")
  );
}

/** The parsed JSON of an event's data; undefined when it is not JSON. */
export function eventJson(piece: Buffer): unknown {
  const { data } = readEvent(piece);
  if (data === undefined) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** True when this part has usage and no choices (callers see such an event only on request). */
export function isUsageOnly(piece: Buffer): boolean {
  const value = eventJson(piece) as { choices?: unknown; usage?: unknown } | undefined;
  return (
    Array.isArray(value?.choices) &&
    value.choices.length === 0 &&
    typeof value.usage === "object" &&
    value.usage !== null
  );
}

/** The error object of an in-band error event; undefined for all other parts. */
export function inBandError(
  piece: Buffer,
): { code?: unknown; message?: unknown; type?: unknown } | undefined {
  const value = eventJson(piece) as { error?: unknown } | undefined;
  return typeof value?.error === "object" && value.error !== null ? value.error : undefined;
}

/** True when this part is the end marker. */
export function isDone(piece: Buffer): boolean {
  return readEvent(piece).data?.trim() === "[DONE]";
}

/** Finish reasons of a part's choices, without nulls. */
export function finishReasons(piece: Buffer): string[] {
  const value = eventJson(piece) as { choices?: { finish_reason?: unknown }[] } | undefined;
  if (!Array.isArray(value?.choices)) return [];
  return value.choices.map((choice) => choice?.finish_reason).filter((reason) => typeof reason === "string");
}

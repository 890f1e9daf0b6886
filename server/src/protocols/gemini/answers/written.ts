/** How much of parts is what the model wrote, in bytes: words, and names and arguments of calls. */
import { isRecord, recordOf } from "../../../lib/record.ts";

const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);

/** Of parsed parts, which are untrusted; pictures and signatures say nothing. */
export function writtenBytesIn(parts: readonly unknown[]): number {
  let bytes = 0;
  for (const part of parts) {
    if (!isRecord(part)) continue;
    bytes += textBytes(part["text"]) + textBytes(recordOf(part["executableCode"])["code"]);
    const call = part["functionCall"];
    if (isRecord(call)) bytes += textBytes(call["name"]) + textBytes(argsText(call["args"]));
  }
  return bytes;
}

function argsText(args: unknown): string {
  try {
    return args === undefined ? "" : JSON.stringify(args);
  } catch {
    // Nested more deeply than can be written.
    return "";
  }
}

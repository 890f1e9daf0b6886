/** Counts the model's output in parts, in bytes: text, and names and arguments of calls. */
import { isRecord, recordOf } from "../../../lib/record.ts";

const textBytes = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 0);

/** Bytes of parsed parts, which are untrusted. Images and signatures do not count. */
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
    // Nested too deeply to serialize.
    return "";
  }
}

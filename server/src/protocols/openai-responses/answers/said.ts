/** Counts the model's output in items, in bytes of text. The input is from an upstream and untrusted. */
import { isRecord, recordOf } from "../../../lib/record.ts";

/** Members whose texts are names or opaque data, not output. */
const unsaid: ReadonlySet<string> = new Set([
  "id",
  "type",
  "role",
  "status",
  "phase",
  "call_id",
  "namespace",
  "encrypted_content",
  "annotations",
  "logprobs",
  "result",
  "url",
]);

/** Bytes of every output text in these items, at any depth. */
export function saidBytesIn(items: unknown): number {
  let bytes = 0;
  const waiting: unknown[] = [items];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next);
    else if (Array.isArray(next)) for (const one of next) waiting.push(one);
    else if (isRecord(next))
      for (const [name, value] of Object.entries(recordOf(next))) if (!unsaid.has(name)) waiting.push(value);
  }
  return bytes;
}

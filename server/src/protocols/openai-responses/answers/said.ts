/** How much of items is what the model wrote, in bytes of text. Everything read here is an upstream's. */
import { isRecord, recordOf } from "../../../lib/record.ts";

/** Texts that name things, or hold what nobody reads, rather than say something. */
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

/** Bytes of every text in these items that says something; of a list as deep as an upstream likes. */
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

/** Counts the model's output in items, in bytes of text. The input is from an upstream and untrusted. */
import { isRecord, type JsonRecord, recordOf } from "../../../lib/record.ts";
import { type ContentSize, sizeOfText } from "../../content-size.ts";

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

/** The size of every output text in these items, at any depth, and how many images the model made. */
export function saidIn(items: unknown): ContentSize {
  let contentBytes = 0;
  let images = 0;
  const waiting: unknown[] = [items];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      const size = sizeOfText(next);
      contentBytes += size.contentBytes;
      images += size.images;
    } else if (Array.isArray(next)) for (const one of next) waiting.push(one);
    else if (isRecord(next)) {
      if (isImage(next)) images += 1;
      for (const [name, value] of Object.entries(recordOf(next))) if (!unsaid.has(name)) waiting.push(value);
    }
  }
  return { contentBytes, images };
}

/** True for a finished item with an image. */
export const isImage = ({ type, result }: JsonRecord): boolean =>
  type === "image_generation_call" && typeof result === "string" && result !== "";

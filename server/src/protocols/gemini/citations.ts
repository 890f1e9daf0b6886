/** Converts the sources of an answer with search (docs/wire/gemini.md section 8) to citations. */
import type { Citation } from "../../conversation/blocks.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";

const citationsMax = 200;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Converts a position: Gemini counts UTF-8 bytes, OpenAI characters. */
function characterAt(bytes: Buffer, place: unknown): number {
  const end = typeof place === "number" && place > 0 ? Math.min(place, bytes.length) : 0;
  return bytes.toString("utf8", 0, end).length;
}

/** `text`: the answer so far, which the positions refer to. */
export function citationsOf(grounding: JsonRecord, text: string): Citation[] {
  const pages = listOf(grounding["groundingChunks"]).map((chunk) => recordOf(recordOf(chunk)["web"]));
  const bytes = Buffer.from(text);
  const citations: Citation[] = [];
  for (const support of listOf(grounding["groundingSupports"]).map(recordOf)) {
    const { startIndex, endIndex } = recordOf(support["segment"]);
    for (const place of listOf(support["groundingChunkIndices"])) {
      const { uri, title } = pages[Number(place)] ?? {};
      if (typeof uri !== "string" || citations.length >= citationsMax) continue;
      citations.push({
        url: uri,
        title: typeof title === "string" ? title : "",
        start: characterAt(bytes, startIndex),
        end: characterAt(bytes, endIndex),
      });
    }
  }
  return citations;
}

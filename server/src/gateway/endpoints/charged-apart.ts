/**
 * What a body asks for that upstreams charge apart from tokens, for endpoints whose models write no text.
 * Endpoints whose models do read it with their bounds of output (`generation/spending.ts`).
 */
import type { JsonScan } from "../../lib/json/scan-shapes.ts";
import { parseJson } from "../../lib/record.ts";
import { chargedApart } from "../../providers/charged-apart.ts";

/** Names for the body scanner to find. */
export const apartNames: readonly string[] = Object.keys(chargedApart);

/** Largest value that is parsed to see whether it asks for anything. */
const valueBytesMax = 64 * 1024;

/** Names of the fields that ask for something charged apart, for `RequestFields.apart`. */
export function readApart({ fields }: JsonScan, body: Buffer): string[] {
  const apart: string[] = [];
  for (const { name, start, end } of fields) {
    if (!Object.hasOwn(chargedApart, name)) continue;
    const isShort = end - start <= valueBytesMax;
    const isHarmless = isShort && chargedApart[name]?.(parseJson(body.toString("utf8", start, end)));
    if (isHarmless !== true) apart.push(name);
  }
  return apart;
}

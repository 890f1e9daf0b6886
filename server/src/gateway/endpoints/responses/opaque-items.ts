/**
 * Opaque content in the bytes of Responses requests and answers: reasoning, compactions and whatever else
 * only the upstream that made it can read. Plaza's own payloads are not among it.
 */
import { itemsOf } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";
import { responsesPayloads } from "../../../protocols/payloads/marks.ts";
import { plainSeal } from "../../../protocols/payloads/seal.ts";
import type { OpaqueItems } from "../endpoint.ts";
import { memberOf } from "./items.ts";
import type { ResponsesFields } from "./responses-fields.ts";

const name = Buffer.from('"encrypted_content"');

const isNative = (data: string): boolean => responsesPayloads.read(data, plainSeal).kind === "native";

/** Items of any type with content of an upstream's; undefined: none. */
export function opaqueItems({ messages }: ResponsesFields, body: Buffer): OpaqueItems | undefined {
  if (!body.includes(name)) return undefined;
  const items = itemsOf(body, messages.start);
  let first = 0;
  const found = items.flatMap((item, at) => {
    // Searched on only once it is passed, so that all items together cost one search.
    if (first >= 0 && first < item.start) first = body.indexOf(name, item.start);
    if (first < 0 || first >= item.end) return [];
    const content = memberOf(body, item.start, "encrypted_content");
    const data = content && parseJson(body.toString("utf8", content.start, content.end));
    return typeof data === "string" && data !== "" && isNative(data) ? [{ at, data }] : [];
  });
  return found.length === 0 ? undefined : { name: "input", items, found };
}

/** The content of an answer's items, in a whole answer or the last event of a stream. */
export function opaqueSaid(bytes: Buffer): readonly string[] {
  if (!bytes.includes(name)) return [];
  // Base64, which has nothing to escape.
  const contents = bytes.toString("latin1").matchAll(/"encrypted_content"\s*:\s*"([\w+/=-]+)"/g);
  return [...new Set(Array.from(contents, ([, data = ""]) => data))].filter(isNative);
}

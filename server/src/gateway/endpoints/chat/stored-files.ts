/** Files at an upstream in the messages of a chat request. */
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { storedFile } from "../shared-fields.ts";

const idName = "file_id";

/**
 * Throws `not_found` for a part of a message that names one: `file.file_id`, or `file_id` of the part. Looked
 * for only where the name occurs; a tool's schema may have it too.
 */
export function refuseStoredFiles(scan: JsonScan, body: Buffer, messages: JsonField): void {
  if (!scan.counts.has(idName)) return;
  for (const [index, message] of itemsOf(body, messages.start).entries()) {
    for (const member of membersOf(body, message.start)) {
      if (member.name !== "content") continue;
      for (const [at, part] of itemsOf(body, member.start).entries())
        refuseIn(body, part, `messages[${index}].content[${at}]`);
    }
  }
}

function refuseIn(body: Buffer, part: ValueSpan, path: string): void {
  for (const { name, start, end } of membersOf(body, part.start)) {
    if (name === idName) refuse(body, { start, end }, `${path}.${name}`);
    for (const inner of membersOf(body, start))
      if (inner.name === idName) refuse(body, inner, `${path}.${name}.${idName}`);
  }
}

function refuse(body: Buffer, { start }: ValueSpan, param: string): void {
  const isNull = body[start] === 0x6e;
  if (!isNull) throw storedFile(param);
}

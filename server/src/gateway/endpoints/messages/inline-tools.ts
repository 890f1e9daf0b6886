/**
 * Tools that a Messages request defines among its messages (docs/wire/anthropic-messages.md section 15):
 * those that Anthropic would run are billed by the call like those in `tools`. Looked for only where the name
 * of their member occurs.
 */
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { definitionName } from "../../../protocols/anthropic-messages/endpoint/fields.ts";

/** Paths of the definitions, in whatever block, for which `isOwn` is false. */
export function hostedInline(
  scan: JsonScan,
  body: Buffer,
  messages: JsonField,
  isOwn: (definition: ValueSpan) => boolean,
): string[] {
  if (!scan.counts.has(definitionName)) return [];
  const paths: string[] = [];
  for (const [index, message] of itemsOf(body, messages.start).entries()) {
    const content = membersOf(body, message.start).findLast(({ name }) => name === "content");
    if (content === undefined) continue;
    for (const [at, block] of itemsOf(body, content.start).entries())
      for (const tool of all(membersOf(body, block.start), "tool"))
        for (const definition of all(membersOf(body, tool.start), definitionName))
          if (!isOwn(definition)) paths.push(`messages[${index}].content[${at}].tool.${definitionName}`);
  }
  return paths;
}

/** Of a name that occurs twice, upstreams may read either. */
const all = (members: readonly MemberSpan[], name: string): MemberSpan[] =>
  members.filter((member) => member.name === name);

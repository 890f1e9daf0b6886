/** Sets members of an object in bytes known to be well-formed JSON; all others stay as they were written. */
import { membersOf } from "./spans.ts";
import { type Edit, splice } from "./splice.ts";

/**
 * The body with these members in the object at or after `start`, as JSON by name: in place of the value it
 * has, however often it has one, else before its other members. The same buffer where there are none.
 */
export function setMembers(body: Buffer, start: number, values: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(values);
  if (names.length === 0) return body;
  const members = membersOf(body, start);
  const edits: Edit[] = [];
  const known = new Set<string>();
  for (const member of members) {
    const text = Object.hasOwn(values, member.name) ? values[member.name] : undefined;
    if (text === undefined) continue;
    known.add(member.name);
    edits.push({ start: member.start, end: member.end, text });
  }
  const added = names.filter((name) => !known.has(name));
  if (added.length > 0) {
    const at = body.indexOf(0x7b, start) + 1;
    const text = added.map((name) => `${JSON.stringify(name)}:${values[name]}`).join(",");
    edits.unshift({ start: at, end: at, text: members.length === 0 ? text : `${text},` });
  }
  return splice(body, edits);
}

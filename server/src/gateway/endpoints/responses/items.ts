/** Items of a Responses request or answer, found in the bytes: which of them only names another one. */
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";

/** Longer texts are no ids and no types. */
const shortBytesMax = 512;

/** A short text's value; undefined for anything else. */
export function textAt(body: Buffer, span: ValueSpan | undefined): string | undefined {
  if (span === undefined || body[span.start] !== 0x22 || span.end - span.start > shortBytesMax)
    return undefined;
  const value = parseJson(body.toString("utf8", span.start, span.end));
  return typeof value === "string" ? value : undefined;
}

const member = (members: readonly MemberSpan[], name: string): MemberSpan | undefined =>
  members.find((one) => one.name === name);

/** Is the value not there, or null? */
const isAbsent = (body: Buffer, span: ValueSpan | undefined): boolean =>
  span === undefined || body[span.start] === 0x6e;

/** The id of the item this one stands for; undefined: it says what it is by itself. */
export function referenceIn(body: Buffer, item: ValueSpan): string | undefined {
  if (body[item.start] !== 0x7b) return undefined;
  const members = membersOf(body, item.start);
  const type = member(members, "type");
  const isReference =
    textAt(body, type) === "item_reference" ||
    (isAbsent(body, type) && isAbsent(body, member(members, "role")));
  return isReference ? textAt(body, member(members, "id")) : undefined;
}

/** The id of an item; undefined where it has none. */
export const idOf = (body: Buffer, item: ValueSpan): string | undefined =>
  textAt(body, member(membersOf(body, item.start), "id"));

/** The value of a member of the object that begins there; undefined where there is none. */
export const memberOf = (body: Buffer, start: number, name: string): MemberSpan | undefined =>
  member(membersOf(body, start), name);

/** The items of an array as they were written, without its brackets. */
export function itemTexts(body: Buffer, start: number): string[] {
  return itemsOf(body, start).map((item) => body.toString("utf8", item.start, item.end));
}

/** Items of a Responses request or answer, found in the bytes: which of them only names another one. */
import { afterSpace, itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
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

/** Upstreams may read any of several members of one name. */
const all = (members: readonly MemberSpan[], name: string): MemberSpan[] =>
  members.filter((one) => one.name === name);

const isNull = (body: Buffer, { start }: ValueSpan): boolean => body[start] === 0x6e;

/** True for null, and for a text, a list or an object with nothing in it. */
const isEmpty = (body: Buffer, value: ValueSpan): boolean =>
  isNull(body, value) ||
  ([0x22, 0x5b, 0x7b].includes(body[value.start] ?? 0) &&
    afterSpace(body, value.start + 1) === value.end - 1);

/** True when a JSON parser may find no value under this name. */
const mayLack = (body: Buffer, members: readonly MemberSpan[], name: string): boolean => {
  const found = all(members, name);
  return found.length === 0 || found.some((one) => isNull(body, one));
};

/** An item that only names another one. `id`: undefined where it is no id of any answer. */
export interface Reference {
  readonly id: string | undefined;
}

/**
 * The item that this one stands for; undefined: it says what it is by itself, or names nothing. It stands
 * for another where it is a reference by any of its types, or has an id and nothing to say: an upstream would
 * open what it stored under that id.
 */
export function referenceIn(body: Buffer, item: ValueSpan): Reference | undefined {
  if (body[item.start] !== 0x7b) return undefined;
  const members = membersOf(body, item.start);
  const types = all(members, "type").map((type) => textAt(body, type));
  const id = members.findLast(({ name }) => name === "id");
  const isReference =
    types.includes("item_reference") ||
    (all(members, "id").some((one) => !isNull(body, one)) && saysNothing(body, members, types));
  return isReference ? { id: textAt(body, id) } : undefined;
}

/** Members of which an item of this type has one at least, unless it only names another. */
const sayingNames: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ["reasoning", ["encrypted_content", "content", "summary"]],
  ["image_generation_call", ["result"]],
]);

/** Members that every item may have. */
const commonNames: ReadonlySet<string> = new Set(["type", "id", "status"]);

function saysNothing(
  body: Buffer,
  members: readonly MemberSpan[],
  types: readonly (string | undefined)[],
): boolean {
  const isUntyped = mayLack(body, members, "type");
  if (isUntyped && mayLack(body, members, "role")) return true;
  if ((isUntyped || types.includes("message")) && mayLack(body, members, "content")) return true;
  return types.some((type) => {
    if (type === "message") return false;
    const names = sayingNames.get(type);
    if (names === undefined) return !members.some((one) => !commonNames.has(one.name) && !isEmpty(body, one));
    return !names.some((name) => {
      const found = all(members, name);
      return found.length > 0 && !found.some((one) => isEmpty(body, one));
    });
  });
}

/** The ids of requests for approval that are whole, so that an upstream need not look for them. */
export function approvalRequestsIn(body: Buffer, items: readonly ValueSpan[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const item of items) {
    const members = membersOf(body, item.start);
    const [[type, otherType], [id, otherId]] = [all(members, "type"), all(members, "id")];
    const isPlain = otherType === undefined && otherId === undefined;
    if (!isPlain || textAt(body, type) !== "mcp_approval_request") continue;
    const text = textAt(body, id);
    if (text !== undefined && referenceIn(body, item) === undefined) found.add(text);
  }
  return found;
}

/** The ids that an answer to a request for approval names; empty texts where they are none. */
export function approvedIn(body: Buffer, item: ValueSpan): readonly string[] {
  const members = membersOf(body, item.start);
  if (!all(members, "type").some((type) => textAt(body, type) === "mcp_approval_response")) return [];
  const ids = all(members, approvalName).filter((one) => !isNull(body, one));
  return ids.map((one) => textAt(body, one) ?? "");
}

/** Where the answer to a request for approval names it. */
export const approvalName = "approval_request_id";

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

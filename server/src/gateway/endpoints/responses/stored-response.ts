/**
 * What is kept of a response, as one text: the items the caller sent with this call, and the response as the
 * caller got it, both as they were written.
 */
import { itemsOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { cutMember, splice } from "../../../lib/json/splice.ts";
import { isRecord, parseJson, recordOf } from "../../../lib/record.ts";
import { idOf, itemTexts, memberOf, textAt } from "./items.ts";

export interface KeptResponse {
  /** Items of this call's own input, each as it was written. */
  readonly input: readonly string[];
  /** The response object. */
  readonly response: string;
}

/** The text to store. */
export const writeKept = ({ input, response }: KeptResponse): string => JSON.stringify({ input, response });

/** undefined: it was written by a version that keeps something else. */
export function readKept(payload: string): KeptResponse | undefined {
  const value = parseJson(payload);
  if (!isRecord(value)) return undefined;
  const { input, response } = value;
  const isKept = Array.isArray(input) && input.every((item) => typeof item === "string");
  return isKept && typeof response === "string" ? { input: input as string[], response } : undefined;
}

/** An item a response put out: as it was written, and as it may be sent back. */
export interface PutOut {
  readonly written: string;
  /** Undefined: it is left out. */
  readonly sent: string | undefined;
}

/**
 * The items a response put out. Where reasoning is left out, the others lose the ids that tie them to it: an
 * upstream refuses the id of a call without the reasoning that led to it, and takes a call that has none.
 */
export function outputOf({ response }: KeptResponse): PutOut[] {
  const body = Buffer.from(response);
  const output = memberOf(body, 0, "output");
  const items = output === undefined ? [] : itemTexts(body, output.start);
  if (items.every(canBeSentBack)) return items.map((written) => ({ written, sent: written }));
  return items.map((written) => ({
    written,
    sent: canBeSentBack(written) ? untied(written) : undefined,
  }));
}

/** Items that an upstream takes without an id. */
const freeTypes = new Set(["message", "function_call", "custom_tool_call"]);

/** The item without its id, by which an upstream would miss the reasoning that came before it. */
export function untied(item: string): string {
  const { type } = recordOf(parseJson(item));
  const body = Buffer.from(item);
  const id = memberOf(body, 0, "id");
  return id === undefined || !freeTypes.has(String(type))
    ? item
    : splice(body, [cutMember(body, id)]).toString();
}

/**
 * False for reasoning that says nothing but its id: it lies at no upstream, and one that is asked for it
 * refuses the call.
 */
function canBeSentBack(item: string): boolean {
  if (!item.includes('"reasoning"')) return true;
  const { type, encrypted_content: opaque, content } = recordOf(parseJson(item));
  const isEmpty = typeof opaque !== "string" && !(Array.isArray(content) && content.length > 0);
  return type !== "reasoning" || !isEmpty;
}

/** The items of an input, where a text is the user's message. */
export function inputItems(body: Buffer, input: ValueSpan): string[] {
  if (body[input.start] === 0x5b) return itemTexts(body, input.start);
  return [`{"type":"message","role":"user","content":${body.toString("utf8", input.start, input.end)}}`];
}

/**
 * Ids of the response, of its items, of the containers they ran in and of the files they tell of; undefined:
 * it has none, so it could not be requested.
 */
export function idsIn(
  response: Buffer,
): { readonly id: string; readonly itemIds: readonly string[] } | undefined {
  const id = idOf(response, { start: 0, end: response.length });
  if (id === undefined) return undefined;
  const output = memberOf(response, 0, "output");
  const items = output === undefined ? [] : itemsOf(response, output.start);
  return {
    id,
    // Items first: of a response with very many ids the last are not kept.
    itemIds: [
      ...items.flatMap((item) => [idOf(response, item) ?? [], containersOf(response, item)].flat()),
      ...(response.includes('"file_id"') ? items.flatMap((item) => filesOf(response, item)) : []),
    ],
  };
}

/** True for an item that ran in a container. */
export function namesContainer(item: string): boolean {
  if (!item.includes('"container_id"')) return false;
  const body = Buffer.from(item);
  return containersOf(body, { start: 0, end: body.length }).length > 0;
}

/** Files that a message's annotations name, with their containers, and those that a search found. */
function filesOf(response: Buffer, item: ValueSpan): string[] {
  const content = memberOf(response, item.start, "content");
  const parts = content === undefined ? [] : itemsOf(response, content.start);
  const lists = [
    ...parts.map((part) => memberOf(response, part.start, "annotations")),
    memberOf(response, item.start, "results"),
  ];
  return lists.flatMap((list) =>
    (list === undefined ? [] : itemsOf(response, list.start)).flatMap(({ start }) =>
      ["file_id", "container_id"].flatMap((name) => textAt(response, memberOf(response, start, name)) ?? []),
    ),
  );
}

/** A tool's call names its container itself, or in its environment. */
function containersOf(response: Buffer, item: ValueSpan): string[] {
  const environment = memberOf(response, item.start, "environment");
  const places = environment === undefined ? [item] : [item, environment];
  return places.flatMap(({ start }) => textAt(response, memberOf(response, start, "container_id")) ?? []);
}

/**
 * The response object in the last event of a stream; undefined where that holds none. `events`: that one,
 * and those before it that were held back until the end.
 */
export function responseInEvent(events: Buffer): Buffer | undefined {
  // `data:` may be cut into several lines by an upstream, which no known one does: then nothing is kept.
  const line = events.lastIndexOf("\ndata:");
  const data = line < 0 ? events.indexOf("data:") : line + 1;
  if (data < 0) return undefined;
  const found = memberOf(events, data + 5, "response");
  return found === undefined || events[found.start] !== 0x7b
    ? undefined
    : events.subarray(found.start, found.end);
}

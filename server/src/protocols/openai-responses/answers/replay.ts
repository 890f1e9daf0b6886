/**
 * A finished response → the events of a stream that ends with it (docs/wire/openai-responses.md section 3),
 * for callers that read a stored response as a stream. Texts, items and the response go into the events as
 * they were written, so that tools' items and fields of an upstream that Plaza does not know stay as well.
 */
import { itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { cutMember, type Edit, splice } from "../../../lib/json/splice.ts";
import { parseJson } from "../../../lib/record.ts";
import { EventLog } from "../events.ts";

/** Says an event. `members`: of its object, as JSON without braces. */
export type Say = (type: string, members: string) => void;

/** An object in the response's bytes. */
interface Written {
  readonly body: Buffer;
  readonly span: ValueSpan;
  readonly members: readonly MemberSpan[];
}

const objectAt = (body: Buffer, span: ValueSpan): Written => ({
  body,
  span,
  members: membersOf(body, span.start),
});

const textOf = (body: Buffer, { start, end }: ValueSpan): string => body.toString("utf8", start, end);

/** A member's value as it was written; undefined: there is none. */
function rawOf({ body, members }: Written, name: string): string | undefined {
  const found = members.find((member) => member.name === name);
  return found === undefined ? undefined : textOf(body, found);
}

/** A text's value; undefined: it is none. */
function wordOf(written: Written, name: string): string | undefined {
  const value = parseJson(rawOf(written, name) ?? "null");
  return typeof value === "string" ? value : undefined;
}

/** The objects in a list; none where it is no list. */
function objectsIn({ body, members }: Written, name: string): Written[] {
  const list = members.find((member) => member.name === name);
  return list === undefined ? [] : itemsOf(body, list.start).map((item) => objectAt(body, item));
}

/** The object with other values for members that it has; null takes a member out. */
function withValues(
  { body, span, members }: Written,
  values: Readonly<Record<string, string | null>>,
): string {
  const edits: Edit[] = [];
  for (const member of members) {
    const value = Object.hasOwn(values, member.name) ? values[member.name] : undefined;
    if (value === null) edits.push(cutMember(body, member));
    else if (value !== undefined) edits.push({ start: member.start, end: member.end, text: value });
  }
  const text = splice(body, edits);
  return text.toString("utf8", span.start, span.end + text.length - body.length);
}

const emptyText = '""';

/** One part of a message's or of reasoning's content. `place`: where it stands. */
function sayPart(say: Say, part: Written, place: string): void {
  const kind = wordOf(part, "type") ?? "";
  const isText = kind === "output_text";
  const name = kind === "refusal" ? "refusal" : "text";
  const text = rawOf(part, name) ?? emptyText;
  const begun = withValues(part, { [name]: emptyText, annotations: "[]", logprobs: "[]" });
  say("response.content_part.added", `${place},"part":${begun}`);
  if (isText || kind === "refusal" || kind === "reasoning_text") {
    const logprobs = isText ? `,"logprobs":${rawOf(part, "logprobs") ?? "[]"}` : "";
    if (text !== emptyText) say(`response.${kind}.delta`, `${place},"delta":${text}${logprobs}`);
    for (const [index, annotation] of objectsIn(part, "annotations").entries())
      say(
        "response.output_text.annotation.added",
        `${place},"annotation_index":${index},"annotation":${textOf(annotation.body, annotation.span)}`,
      );
    say(`response.${kind}.done`, `${place},"${name}":${text}${logprobs}`);
  }
  say("response.content_part.done", `${place},"part":${textOf(part.body, part.span)}`);
}

function saySummary(say: Say, part: Written, place: string): void {
  const text = rawOf(part, "text") ?? emptyText;
  const begun = withValues(part, { text: emptyText });
  say("response.reasoning_summary_part.added", `${place},"part":${begun}`);
  if (text !== emptyText) say("response.reasoning_summary_text.delta", `${place},"delta":${text}`);
  say("response.reasoning_summary_text.done", `${place},"text":${text}`);
  say("response.reasoning_summary_part.done", `${place},"part":${textOf(part.body, part.span)}`);
}

/** Tools' items whose events only say how far they are. */
const progressed: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
]);

/** What an item consists of, event by event. `place`: the item's id and index. */
function sayContent(say: Say, item: Written, place: string): void {
  const type = wordOf(item, "type") ?? "";
  const parts = objectsIn(item, "content");
  const [call, input] = [rawOf(item, "arguments"), rawOf(item, "input")];
  if (type === "message" || type === "reasoning") {
    for (const [index, part] of objectsIn(item, "summary").entries())
      saySummary(say, part, `${place},"summary_index":${index}`);
    for (const [index, part] of parts.entries()) sayPart(say, part, `${place},"content_index":${index}`);
  } else if (type === "function_call" && call !== undefined) {
    if (call !== emptyText) say("response.function_call_arguments.delta", `${place},"delta":${call}`);
    const name = rawOf(item, "name") ?? emptyText;
    say("response.function_call_arguments.done", `${place},"name":${name},"arguments":${call}`);
  } else if (type === "custom_tool_call" && input !== undefined) {
    if (input !== emptyText) say("response.custom_tool_call_input.delta", `${place},"delta":${input}`);
    say("response.custom_tool_call_input.done", `${place},"input":${input}`);
  } else if (progressed.has(type)) {
    say(`response.${type}.in_progress`, place);
    if (wordOf(item, "status") === "completed") say(`response.${type}.completed`, place);
  }
}

const notYet = { status: '"in_progress"', encrypted_content: null } as const;

/** An item as it begins, of those whose content comes by events of its own. */
function begunItem(item: Written): string {
  const isList = (name: string): boolean => rawOf(item, name)?.startsWith("[") === true;
  switch (wordOf(item, "type")) {
    case "message":
      return withValues(item, { ...notYet, content: "[]" });
    case "reasoning":
      return withValues(item, {
        ...notYet,
        ...(isList("summary") ? { summary: "[]" } : {}),
        ...(isList("content") ? { content: "[]" } : {}),
      });
    case "function_call":
      return withValues(item, { ...notYet, arguments: emptyText });
    case "custom_tool_call":
      return withValues(item, { ...notYet, input: emptyText });
    case "image_generation_call":
      return withValues(item, { ...notYet, result: "null" });
    default:
      return withValues(item, notYet);
  }
}

function sayItem(say: Say, item: Written, index: number): void {
  const id = rawOf(item, "id");
  const whole = textOf(item.body, item.span);
  // Only an item with an id can have events of its own.
  say(
    "response.output_item.added",
    `"output_index":${index},"item":${id === undefined ? whole : begunItem(item)}`,
  );
  if (id !== undefined) sayContent(say, item, `"item_id":${id},"output_index":${index}`);
  say("response.output_item.done", `"output_index":${index},"item":${whole}`);
}

/** All events of one done item, from its beginning on. `item`: one well-formed object. */
export const sayWholeItem = (say: Say, item: Buffer, index: number): void =>
  sayItem(say, objectAt(item, { start: 0, end: item.length }), index);

const endings: Readonly<Record<string, string>> = {
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.failed",
};

/**
 * The events of a whole stream, numbered from 0. `after`: events up to this number are left out; the terminal
 * one never is, and is numbered above it: the stream that a caller goes on with may have had more events.
 * `response`: one well-formed response object.
 */
export function eventsOfResponse(response: Buffer, after = -1): Buffer {
  const whole = objectAt(response, { start: 0, end: response.length });
  const log = new EventLog(true);
  let said = 0;
  const say: Say = (type, members) => {
    log.say(type, members);
    if (said <= after) log.take();
    said += 1;
  };
  const begun = withValues(whole, {
    status: '"in_progress"',
    output: "[]",
    usage: "null",
    completed_at: "null",
    error: "null",
    incomplete_details: "null",
  });
  say("response.created", `"response":${begun}`);
  say("response.in_progress", `"response":${begun}`);
  for (const [index, item] of objectsIn(whole, "output").entries()) sayItem(say, item, index);
  const end = endings[wordOf(whole, "status") ?? ""] ?? "response.completed";
  const last = said > after ? log : new EventLog(true, after + 1);
  last.say(end, `"response":${response.toString("utf8")}`);
  return last.take();
}

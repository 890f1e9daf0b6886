/**
 * The items of one stream as its caller knows them: which were added, which are done, and what was said of
 * those that no event has ended yet.
 */
import type { ObjectView } from "./members.ts";

/** `said`: the event with its whole text came. `over`: nothing more is to be said of it. */
type PartState = "open" | "said" | "over";

/** An item of the stream. */
export interface StreamedItem {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  /** As it was added. */
  readonly added: string;
  /** As it ended; undefined: it is open. */
  done: string | undefined;
  /** How far its parts are, by kind and number. */
  readonly parts: Map<string, PartState>;
  /** What its deltas said, by kind and number of the part. */
  readonly said: Map<string, string>;
}

/** Begins the types of events of a part, which reasoning has as well. */
const contentPart = "response.content_part.";

/** Of which kind of item an event is, by the beginning of its type. */
const types: readonly (readonly [event: string, item: string])[] = [
  ["response.output_text.", "message"],
  ["response.refusal.", "message"],
  [contentPart, "message"],
  ["response.reasoning_", "reasoning"],
  ["response.function_call_arguments.", "function_call"],
  ["response.custom_tool_call_input.", "custom_tool_call"],
];

/** The type of the item that an event is about; undefined: it may be about any, or about none. */
export const itemTypeOf = (event: string): string | undefined =>
  types.find(([start]) => event.startsWith(start))?.[1];

/** True where an event of this type may also be about an item of that type. */
export const isAbout = (event: string, item: string): boolean =>
  itemTypeOf(event) === item || (item === "reasoning" && event.startsWith(contentPart));

/** Calls: an item of them cannot begin before its name is known. */
export const callTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"]);

const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

/** An id for an item that has none. `base`: the response's. */
export const itemIdOf = (type: string, base: string, index: number): string =>
  `${prefixes[type] ?? "item"}_${base.replace(/^resp_(?:req_)?/, "").slice(-40)}_${index}`;

const json = (value: unknown): string => JSON.stringify(value);

/** An item that begins. */
export function beginning(type: string, id: string): string {
  if (type === "reasoning") return json({ id, type, summary: [] });
  return json({ id, type: "message", status: "in_progress", role: "assistant", content: [] });
}

/** The texts of one kind of part, in order. */
const partsOf = ({ said }: StreamedItem, kind: string): string[] =>
  [...said]
    .filter(([key]) => key.startsWith(`${kind} `))
    .sort(([a], [b]) => Number(a.slice(kind.length)) - Number(b.slice(kind.length)))
    .map(([, text]) => text);

/** An item that no event ended, as its deltas described it. */
export function endOf(item: StreamedItem): string {
  const { id, type, added } = item;
  const [first = ""] = partsOf(item, "text");
  if (type === "message") {
    const texts = partsOf(item, "text").map((text) => ({
      type: "output_text",
      annotations: [],
      logprobs: [],
      text,
    }));
    const refusals = partsOf(item, "refusal").map((refusal) => ({ type: "refusal", refusal }));
    return json({ id, type, status: "completed", role: "assistant", content: [...texts, ...refusals] });
  }
  if (type === "reasoning") {
    const summary = partsOf(item, "summary").map((text) => ({ type: "summary_text", text }));
    const content = partsOf(item, "text").map((text) => ({ type: "reasoning_text", text }));
    return json({ id, type, summary, ...(content.length === 0 ? {} : { content }) });
  }
  if (!callTypes.has(type)) return added;
  const ended = type === "function_call" ? { arguments: first || "{}" } : { input: first };
  return json({ ...(JSON.parse(added) as object), status: "completed", ...ended });
}

/** The part that an event is about. `kind`: `content` or `summary`. */
export interface PartPosition {
  readonly kind: "content" | "summary";
  readonly number: number | undefined;
}

/** How far a part is after an event of it. */
export function partStateAfter(type: string): PartState {
  if (type.endsWith("_part.done")) return "over";
  return type.endsWith(".done") ? "said" : "open";
}

export function partPositionOf(event: ObjectView, type: string): PartPosition {
  const kind = type.startsWith("response.reasoning_summary") ? "summary" : "content";
  return { kind, number: event.number(`${kind}_index`) };
}

/** Where the text of a delta belongs in `said`. */
export function saidKeyOf(type: string, place: PartPosition): string {
  const number = place.number ?? 0;
  if (place.kind === "summary") return `summary ${number}`;
  return type.startsWith("response.refusal.") ? `refusal ${number}` : `text ${number}`;
}

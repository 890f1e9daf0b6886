/**
 * Follows the items of a stream and says what the server leaves out of them: their beginning before what they
 * say, the beginning of their parts, and their end.
 */
import { setMembers } from "../../../lib/json/set-members.ts";
import { itemsOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import { type Say, sayWholeItem } from "../answers/replay.ts";
import type { EventOutput } from "./event-output.ts";
import {
  beginning,
  callTypes,
  endOf,
  isAbout,
  itemIdOf,
  type PartPosition,
  partPositionOf,
  partStateAfter,
  type StreamedItem,
  saidKeyOf,
} from "./items.ts";
import { ObjectView } from "./members.ts";

type Values = Record<string, string>;

const placed = ({ id, index }: StreamedItem): string =>
  `"item_id":${JSON.stringify(id)},"output_index":${index}`;

const emptyParts = {
  text: '{"type":"output_text","annotations":[],"logprobs":[],"text":""}',
  refusal: '{"type":"refusal","refusal":""}',
  summary: '{"type":"summary_text","text":""}',
} as const;

export class StreamedItems {
  readonly #out: EventOutput;
  readonly #idBase: string;
  readonly #byIndex = new Map<number, StreamedItem>();
  readonly #byId = new Map<string, StreamedItem>();
  /** In the order in which they began. */
  readonly #begun: StreamedItem[] = [];
  #next = 0;
  /** Open items whose deltas belong to a part that has begun. */
  openParts = 0;
  openCalls = 0;
  /** True once two items had one place: events may then name another place than their item's. */
  isMoved = false;
  #opened = 0;
  /** The last item that the server did not begin. */
  #ours: StreamedItem | undefined;

  /** `idBase`: what ids are derived from where the server gives none. */
  constructor(out: EventOutput, idBase: string) {
    this.#out = out;
    this.#idBase = idBase;
  }

  /** An event that an item begins. */
  add(event: ObjectView, values: Values): "pass" | "drop" {
    const item = event.object("item");
    if (item === undefined) return "pass";
    const type = item.text("type") ?? "";
    const index = event.number("output_index") ?? this.#next;
    const known = this.#byIndex.get(index);
    if (known?.type === type && isSame(known, item)) return "drop";
    this.#closeOurs();
    const at = known === undefined ? index : this.#next;
    const id = item.text("id") ?? itemIdOf(type, this.#idBase, at);
    const begun = withId(item, id);
    if (begun !== item.bytes) values["item"] = begun.toString();
    if (event.number("output_index") !== at) values["output_index"] = String(at);
    if (index !== at) this.isMoved = true;
    this.#open({ index: at, id, type, added: begun.toString() });
    return "pass";
  }

  /** An event that an item ended. One without a beginning is said whole. */
  end(event: ObjectView, values: Values): "pass" | "drop" {
    const item = event.object("item");
    if (item === undefined) return "pass";
    const type = item.text("type") ?? "";
    const isIt = (one: StreamedItem): boolean => one.type === type;
    const known = this.#withId(item.text("id"), isIt) ?? this.#find(event, isIt);
    if (known === undefined || (known.done !== undefined && !isSame(known, item))) {
      this.#sayWhole(item, event.number("output_index"));
      return "drop";
    }
    if (known.done !== undefined) return "drop";
    if (item.text("id") === undefined) values["item"] = withId(item, known.id).toString();
    if (event.number("output_index") !== known.index) values["output_index"] = String(known.index);
    this.#closeParts(known, item);
    this.#finish(known, values["item"] ?? item.bytes.toString());
    return "pass";
  }

  /** The item that an event of this name is about, begun if it was not; undefined: it cannot begin yet. */
  of(event: ObjectView, name: string, type: string): StreamedItem | undefined {
    const found = this.#find(event, (item) => isAbout(name, item.type));
    if (found !== undefined || callTypes.has(type)) return found;
    const given = event.number("output_index");
    const index = given === undefined || this.#byIndex.has(given) ? this.#next : given;
    const id = event.text("item_id") ?? itemIdOf(type, this.#idBase, index);
    const added = beginning(type, id);
    this.#closeOurs();
    this.#out.say("response.output_item.added", `"output_index":${index},"item":${added}`);
    this.#ours = this.#open({ index, id, type, added });
    return this.#ours;
  }

  /** Puts in where an event of this item stands. */
  place({ id, index }: StreamedItem, event: ObjectView, values: Values): void {
    if (event.text("item_id") === undefined) values["item_id"] = JSON.stringify(id);
    if (event.number("output_index") !== index) values["output_index"] = String(index);
  }

  /** The same of its part, which is begun if it was not. */
  placePart(item: StreamedItem, type: string, place: PartPosition, values: Values): void {
    const { kind, number = 0 } = place;
    if (place.number === undefined) values[`${kind}_index`] = "0";
    const key = `${kind} ${number}`;
    if (item.done !== undefined) return;
    const known = item.parts.get(key);
    // Thoughts in words need no events but their text's.
    const isInWords = item.type === "reasoning" && kind === "content";
    const state = isInWords ? "over" : partStateAfter(type);
    if (known === undefined || state !== "open") item.parts.set(key, state);
    if (known !== undefined) return;
    if (item.parts.size === 1) this.openParts += 1;
    if (type.endsWith("_part.added") || isInWords) return;
    const at = `${placed(item)},"${kind}_index":${number}`;
    if (kind === "summary")
      this.#out.say("response.reasoning_summary_part.added", `${at},"part":${emptyParts.summary}`);
    else {
      const part = type.startsWith("response.refusal.") ? emptyParts.refusal : emptyParts.text;
      this.#out.say("response.content_part.added", `${at},"part":${part}`);
    }
  }

  /**
   * Ends all items, and says those that only the end has. `output`: of the end. Returns every item as it
   * ended, in order.
   */
  close(output: readonly Buffer[]): string[] {
    const { ends, others } = this.#matched(output);
    const open = this.#begun.filter(({ done }) => done === undefined);
    for (const item of open) this.#close(item, ends.get(item));
    for (const other of others) this.#sayWhole(new ObjectView(other), undefined);
    return this.#begun.toSorted((a, b) => a.index - b.index).map(({ done }) => done ?? "{}");
  }

  /** Ends an item. `end`: as the end of the stream has it; undefined: as its deltas described it. */
  #close(item: StreamedItem, end: Buffer | undefined): void {
    if (end === undefined) this.#readDeltas();
    const done = end === undefined ? endOf(item) : withId(new ObjectView(end), item.id).toString();
    if (item.type === "function_call") {
      const args = new ObjectView(Buffer.from(done)).raw("arguments") ?? '""';
      this.#out.say("response.function_call_arguments.done", `${placed(item)},"arguments":${args}`);
    }
    this.#closeParts(item, new ObjectView(Buffer.from(done)));
    this.#out.say("response.output_item.done", `"output_index":${item.index},"item":${done}`);
    this.#finish(item, done);
  }

  /** Before another item begins: ends the one that the server did not begin, and may not end either. */
  #closeOurs(): void {
    const item = this.#ours;
    this.#ours = undefined;
    if (item !== undefined && item.done === undefined) this.#close(item, undefined);
  }

  /** Which item of the end is which of the stream: by its id, else by its order among its kind. */
  #matched(output: readonly Buffer[]) {
    const ends = new Map<StreamedItem, Buffer>();
    const unnamed = output.filter((bytes) => {
      const item = this.#byId.get(new ObjectView(bytes).text("id") ?? "");
      if (item === undefined || ends.has(item)) return true;
      ends.set(item, bytes);
      return false;
    });
    const left = new Map<string, StreamedItem[]>();
    for (const item of this.#begun.toReversed())
      if (!ends.has(item)) {
        const kind = left.get(item.type);
        if (kind === undefined) left.set(item.type, [item]);
        else kind.push(item);
      }
    const others = unnamed.filter((bytes) => {
      const item = left.get(new ObjectView(bytes).text("type") ?? "")?.pop();
      if (item !== undefined) ends.set(item, bytes);
      return item === undefined;
    });
    return { ends, others };
  }

  /** Reads what open items said. */
  #readDeltas(): void {
    this.#out.readKept((data) => {
      const event = recordOf(parseJson(data));
      const { type, delta, output_index: index } = event;
      const item = this.#byIndex.get(Number(index));
      if (item === undefined || typeof type !== "string" || typeof delta !== "string") return;
      const key = saidKeyOf(type, partPositionOf(new ObjectView(Buffer.from(data)), type));
      item.said.set(key, (item.said.get(key) ?? "") + delta);
    });
  }

  /** Says the end of the parts of an item that no event ended. `done`: the item as it ended. */
  #closeParts(item: StreamedItem, done: ObjectView): void {
    if ([...item.parts.values()].every((state) => state === "over")) return;
    const listed = (kind: string): ValueSpan[] => {
      const list = done.isArray(kind) ? done.span(kind) : undefined;
      return list === undefined ? [] : itemsOf(done.bytes, list.start);
    };
    const spans: Readonly<Record<string, ValueSpan[]>> = {
      content: listed("content"),
      summary: listed("summary"),
    };
    for (const [key, state] of item.parts) {
      const [kind = "", number] = key.split(" ");
      const span = spans[kind]?.[Number(number)];
      if (state === "over" || span === undefined) continue;
      const part = done.bytes.subarray(span.start, span.end);
      const say = (type: string, members: string): void =>
        this.#out.say(type, `${placed(item)},"${kind}_index":${number},${members}`);
      sayPartEnd(say, { kind, part: new ObjectView(part), isSaid: state === "said" });
    }
  }

  #sayWhole(item: ObjectView, given: number | undefined): void {
    this.#closeOurs();
    const index = given === undefined || this.#byIndex.has(given) ? this.#next : given;
    const type = item.text("type") ?? "";
    const id = item.text("id") ?? itemIdOf(type, this.#idBase, index);
    const whole = withId(item, id);
    sayWholeItem((name, members) => this.#out.say(name, members), whole, index);
    this.#finish(this.#open({ index, id, type, added: "{}" }), whole.toString());
  }

  #open(begun: Pick<StreamedItem, "index" | "id" | "type" | "added">): StreamedItem {
    const item: StreamedItem = { ...begun, done: undefined, parts: new Map(), said: new Map() };
    this.#byIndex.set(item.index, item);
    this.#byId.set(item.id, item);
    this.#begun.push(item);
    this.#next = Math.max(this.#next, item.index + 1);
    if (callTypes.has(item.type)) this.openCalls += 1;
    this.#opened += 1;
    return item;
  }

  #finish(item: StreamedItem, done: string): void {
    item.done = done;
    if (callTypes.has(item.type)) this.openCalls -= 1;
    if (item.parts.size > 0) this.openParts -= 1;
    this.#opened -= 1;
    if (this.#opened === 0) this.#out.forget();
  }

  /** The item with the id that an event names, or at its place, else the last one where that is open. */
  #find(event: ObjectView, isIt: (item: StreamedItem) => boolean): StreamedItem | undefined {
    const [index, id] = [event.number("output_index"), event.text("item_id")];
    const named = this.#withId(id, isIt);
    if (named !== undefined) return named;
    if (index !== undefined) {
      const found = this.#byIndex.get(index);
      const isPast = found?.done !== undefined && id !== undefined && id !== found.id;
      return found !== undefined && !isPast && isIt(found) ? found : undefined;
    }
    if (id !== undefined) return undefined;
    const last = this.#begun.findLast(isIt);
    return last?.done === undefined ? last : undefined;
  }

  #withId(id: string | undefined, isIt: (item: StreamedItem) => boolean): StreamedItem | undefined {
    const found = id === undefined ? undefined : this.#byId.get(id);
    return found !== undefined && isIt(found) ? found : undefined;
  }
}

/** False for another item at the same place, which has an id of its own. */
const isSame = ({ id }: StreamedItem, item: ObjectView): boolean => (item.text("id") ?? id) === id;

const withId = (item: ObjectView, id: string): Buffer =>
  item.text("id") === undefined ? setMembers(item.bytes, 0, { id: JSON.stringify(id) }) : item.bytes;

/** The events that end a part: its text, unless that was said, and the part. */
function sayPartEnd(
  say: Say,
  { kind, part, isSaid }: { readonly kind: string; readonly part: ObjectView; readonly isSaid: boolean },
): void {
  const refusal = part.raw("refusal");
  const text = part.raw("text") ?? '""';
  if (kind === "summary") {
    if (!isSaid) say("response.reasoning_summary_text.done", `"text":${text}`);
    say("response.reasoning_summary_part.done", `"part":${part.bytes}`);
    return;
  }
  if (!isSaid && refusal !== undefined) say("response.refusal.done", `"refusal":${refusal}`);
  else if (!isSaid) {
    const logprobs = part.raw("logprobs") ?? "[]";
    say("response.output_text.done", `"text":${text},"logprobs":${logprobs}`);
  }
  say("response.content_part.done", `"part":${part.bytes}`);
}

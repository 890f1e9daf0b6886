/**
 * Reports the items of an upstream's answer to a sink, each part once: deltas as they arrive, and the rest
 * from complete items, which come when an item is done or only at the end of the answer. No order is assumed:
 * deltas without their item, items without deltas and repeated items all give one answer.
 */
import type { AnswerSink, TokenLogprob } from "../../conversation/answer.ts";
import { type JsonRecord, recordOf, textIn } from "../../lib/record.ts";
import { noteMaker } from "../payloads/makers.ts";
import type { DecodeContext } from "../protocol.ts";
import { type OpaqueItem, opaqueOf, type Reader, rememberItems } from "./opaque-reasoning.ts";

type ItemKind = "message" | "reasoning" | "call" | "custom" | "image" | "other";

const kinds: Readonly<Record<string, ItemKind>> = {
  message: "message",
  reasoning: "reasoning",
  function_call: "call",
  custom_tool_call: "custom",
  image_generation_call: "image",
};

const kindOf = (type: unknown): ItemKind =>
  typeof type === "string" && Object.hasOwn(kinds, type) ? (kinds[type] as ItemKind) : "other";

/** Most characters of one item kept until they can be reported; a longer item is cut. */
const heldMax = 8 * 1024 * 1024;

/** What was reported of an item. */
interface Item {
  readonly kind: ItemKind;
  /** Characters reported of each part, by its number and kind. */
  readonly said: Map<string, number>;
  /** The number of a call that has begun. */
  call: number | undefined;
  /** Arguments that arrived before the call's name; a custom tool's input. */
  held: string;
  /** Which of an item's two forms of thoughts is reported: the first one received. */
  thoughts: "summary" | "content" | undefined;
  /** The part that thoughts were last reported of. */
  thoughtPart: number;
  citations: number;
  isDone: boolean;
}

export class AnswerItems {
  readonly #sink: AnswerSink;
  readonly #context: DecodeContext;
  readonly #reader: Reader;
  readonly #items: Item[] = [];
  /** Items by the index or id their events have. */
  readonly #byKey = new Map<string, Item>();
  /** Items by index only, for the frequent deltas of one item. */
  readonly #byIndex = new Map<number, Item>();
  /** Reasoning since the last call, to be remembered with the next one. */
  #opaque: OpaqueItem[] = [];
  #calls = 0;
  #textLength = 0;
  readonly #callIds = new Set<string>();

  constructor(sink: AnswerSink, context: DecodeContext, reader: Reader) {
    this.#sink = sink;
    this.#context = context;
    this.#reader = reader;
  }

  /** Number of calls that have begun. */
  get calls(): number {
    return this.#calls;
  }

  /** Begins an item. */
  begin(event: JsonRecord): void {
    const raw = recordOf(event["item"]);
    const isNamed = event["output_index"] !== undefined || textIn(raw["id"]) !== undefined;
    const kind = kindOf(raw["type"]);
    const item = isNamed ? this.#find(event, kind, raw) : this.#add(kind);
    if (item.kind === "call") this.#beginCall(item, raw);
  }

  /** Reports what the deltas of a text or of arguments did not contain. `whole`: the complete value. */
  rest(event: JsonRecord, kind: "message" | "call", whole: unknown): void {
    const item = this.#find(event, kind);
    if (item.isDone) return;
    if (kind === "message") this.#sayRest(item, "text", partOf(event), textIn(whole));
    else this.#flushCall(item, { arguments: whole });
  }

  /** Ends an item and reports what its deltas did not contain. `raw`: the complete item. */
  end(event: JsonRecord): void {
    const raw = recordOf(event["item"]);
    this.#complete(this.#find(event, kindOf(raw["type"]), raw), raw);
  }

  /** Reports everything in the answer's `output` that was not reported before. */
  completeAll(output: readonly unknown[]): void {
    const left = new Map<ItemKind, Item[]>();
    for (const item of this.#items) left.set(item.kind, [...(left.get(item.kind) ?? []), item]);
    // Matched by order within a kind: upstreams change ids and drop items between a stream and its end.
    for (const value of output) {
      const raw = recordOf(value);
      const kind = kindOf(raw["type"]);
      this.#complete(left.get(kind)?.shift() ?? this.#add(kind), raw);
    }
    for (const item of this.#items) if (item.kind === "call") this.#flushCall(item, undefined);
  }

  /** Reports text of a message. */
  text(event: JsonRecord, kind: "text" | "refusal"): void {
    const item = this.#find(event, "message");
    const delta = textIn(event["delta"]);
    if (delta === undefined || item.isDone) return;
    if (kind === "text") this.#tokens(event["logprobs"]);
    this.#say(item, kind, partOf(event), delta);
  }

  /** Reports thoughts, either a summary or the full text. */
  think(event: JsonRecord, way: "summary" | "content"): void {
    const item = this.#find(event, "reasoning");
    const delta = textIn(event["delta"]);
    if (delta !== undefined && !item.isDone) this.#think(item, way, partOf(event), delta);
  }

  /** Reports a fragment of a call's arguments or of a custom tool's input. */
  fragment(event: JsonRecord, kind: "call" | "custom"): void {
    const item = this.#find(event, kind);
    const delta = textIn(event["delta"]);
    if (delta === undefined || item.isDone) return;
    if (item.call !== undefined && kind === "call") {
      this.#count(item, "arguments", delta.length);
      this.#sink.toolArguments(item.call, delta);
    } else {
      item.held += delta;
      if (item.held.length > heldMax) throw new Error("a call's input is too long");
    }
  }

  citation(event: JsonRecord): void {
    const item = this.#find(event, "message");
    if (this.#cite(event["annotation"])) item.citations += 1;
  }

  #add(kind: ItemKind): Item {
    const item: Item = {
      kind,
      said: new Map(),
      call: undefined,
      held: "",
      thoughts: undefined,
      thoughtPart: 0,
      citations: 0,
      isDone: false,
    };
    this.#items.push(item);
    return item;
  }

  /** The item an event belongs to; a new one if it is unknown. */
  #find(event: JsonRecord, kind: ItemKind, raw: JsonRecord = {}): Item {
    const { output_index: index, item_id: itemId } = event;
    const open = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    if (open?.kind === kind) return open;
    const id = textIn(itemId) ?? textIn(raw["id"]);
    const keys = [
      ...(typeof index === "number" ? [`${kind} ${index}`] : []),
      ...(id === undefined ? [] : [`${kind} ${id}`]),
    ];
    const known = keys.map((key) => this.#byKey.get(key)).find((item) => item !== undefined);
    const item = known ?? (keys.length === 0 ? this.#last(kind) : undefined) ?? this.#add(kind);
    for (const key of keys) this.#byKey.set(key, item);
    if (typeof index === "number") this.#byIndex.set(index, item);
    return item;
  }

  /** The last item of this kind, if it is still open. */
  #last(kind: ItemKind): Item | undefined {
    const item = this.#items.findLast((one) => one.kind === kind);
    return item?.isDone === true ? undefined : item;
  }

  #complete(item: Item, raw: JsonRecord): void {
    switch (item.kind) {
      case "message":
        this.#completeMessage(item, raw);
        break;
      case "reasoning":
        this.#completeReasoning(item, raw);
        break;
      case "call":
        this.#beginCall(item, raw);
        this.#flushCall(item, raw);
        break;
      case "custom":
        this.#completeCustom(item, raw);
        break;
      case "image": {
        const result = textIn(raw["result"]);
        if (result !== undefined && !item.isDone)
          this.#sink.image(`image/${textIn(raw["output_format"]) ?? "png"}`, result);
        break;
      }
      default:
    }
    item.isDone = true;
  }

  #completeMessage(item: Item, raw: JsonRecord): void {
    const content = Array.isArray(raw["content"]) ? raw["content"].map(recordOf) : [];
    let citations = 0;
    for (const [index, part] of content.entries()) {
      if (part["type"] === "refusal") this.#sayRest(item, "refusal", index, textIn(part["refusal"]));
      else {
        if (!item.said.has(`text ${index}`)) this.#tokens(part["logprobs"]);
        const before = this.#textLength - (item.said.get(`text ${index}`) ?? 0);
        this.#sayRest(item, "text", index, textIn(part["text"]));
        for (const annotation of Array.isArray(part["annotations"]) ? part["annotations"] : []) {
          citations += 1;
          if (citations > item.citations && this.#cite(annotation, before)) item.citations += 1;
        }
      }
    }
  }

  #completeReasoning(item: Item, raw: JsonRecord): void {
    const texts = (way: "summary" | "content"): readonly unknown[] =>
      Array.isArray(raw[way]) ? raw[way] : [];
    const way = item.thoughts ?? (texts("summary").length > 0 ? "summary" : "content");
    for (const [index, part] of texts(way).entries()) {
      const text = textIn(recordOf(part)["text"]);
      const rest = text?.slice(item.said.get(`${way} ${index}`) ?? 0) ?? "";
      if (rest !== "") this.#think(item, way, index, rest);
    }
    const data = textIn(raw["encrypted_content"]);
    if (data === undefined || item.isDone) return;
    const opaque = { id: textIn(raw["id"]), data };
    this.#opaque.push(opaque);
    noteMaker(this.#context.memory, data, this.#context.maker);
    this.#sink.opaqueReasoning(opaqueOf(opaque, this.#reader, this.#calls));
  }

  #completeCustom(item: Item, raw: JsonRecord): void {
    if (item.isDone) return;
    const input = typeof raw["input"] === "string" ? raw["input"] : item.held;
    const index = this.#calls;
    this.#sink.customCall(index, { ...this.#headOf(raw), input });
    item.held = "";
  }

  /** Begins a call as soon as its name is known. */
  #beginCall(item: Item, raw: JsonRecord): void {
    if (item.call !== undefined || textIn(raw["name"]) === undefined) return;
    item.call = this.#calls;
    this.#sink.toolCall(item.call, this.#headOf(raw));
    if (item.held === "") return;
    this.#count(item, "arguments", item.held.length);
    this.#sink.toolArguments(item.call, item.held);
    item.held = "";
  }

  /** Reports the rest of a call's arguments. */
  #flushCall(item: Item, raw: JsonRecord | undefined): void {
    if (item.call === undefined || item.isDone) return;
    const whole = textIn(raw?.["arguments"]);
    const rest = whole?.slice(item.said.get("arguments") ?? 0) ?? "";
    if (rest === "") return;
    this.#count(item, "arguments", rest.length);
    this.#sink.toolArguments(item.call, rest);
  }

  /** A call's head. Counts the call and remembers the reasoning before it. */
  #headOf(raw: JsonRecord): { readonly id: string; readonly name: string } {
    const given = textIn(raw["call_id"]) ?? textIn(raw["id"]) ?? "";
    const isFree = given !== "" && !this.#callIds.has(given);
    const { answerId, memory } = this.#context;
    const id = isFree ? given : `call_${answerId.replace(/^[a-z]+[-_](?:req_)?/, "")}_${this.#calls}`;
    this.#callIds.add(id);
    rememberItems(memory, id, this.#reader, this.#opaque);
    this.#opaque = [];
    this.#calls += 1;
    return { id, name: textIn(raw["name"]) ?? "" };
  }

  #count(item: Item, part: string, length: number): void {
    item.said.set(part, (item.said.get(part) ?? 0) + length);
  }

  #say(item: Item, kind: "text" | "refusal", part: number, text: string): void {
    this.#count(item, `${kind} ${part}`, text.length);
    if (kind === "text") this.#textLength += text.length;
    this.#sink[kind](text);
  }

  #sayRest(item: Item, kind: "text" | "refusal", part: number, whole: string | undefined): void {
    const rest = whole?.slice(item.said.get(`${kind} ${part}`) ?? 0) ?? "";
    if (rest !== "") this.#say(item, kind, part, rest);
  }

  #think(item: Item, way: "summary" | "content", part: number, text: string): void {
    item.thoughts ??= way;
    if (item.thoughts !== way) return;
    const isNext = item.said.size > 0 && part !== item.thoughtPart;
    item.thoughtPart = part;
    this.#count(item, `${way} ${part}`, text.length);
    // Parts are separate paragraphs.
    this.#sink.reasoning(isNext ? `\n\n${text}` : text);
  }

  #tokens(logprobs: unknown): void {
    if (!this.#context.conversation.logprobs.isWanted || !Array.isArray(logprobs)) return;
    const tokens = logprobs.map(recordOf).flatMap(tokenOf);
    if (tokens.length > 0) this.#sink.logprobs(tokens);
  }

  /**
   * Reports a citation; returns false when it is not a page. `before`: characters of the answer before the
   * cited text.
   */
  #cite(annotation: unknown, before = this.#textBefore): boolean {
    const { type, url, title, start_index: start, end_index: end } = recordOf(annotation);
    if (type !== "url_citation" || typeof url !== "string") return false;
    const place = (value: unknown): number => before + (typeof value === "number" ? value : 0);
    this.#sink.citation({ url, title: textIn(title) ?? "", start: place(start), end: place(end) });
    return true;
  }

  /** Characters of text before the current part. */
  get #textBefore(): number {
    const open = this.#items.findLast(({ kind }) => kind === "message");
    const said = [...(open?.said ?? [])].findLast(([part]) => part.startsWith("text "));
    return this.#textLength - (said?.[1] ?? 0);
  }
}

const partOf = (event: JsonRecord): number => {
  const { content_index: content, summary_index: summary } = event;
  const part = typeof content === "number" ? content : summary;
  return typeof part === "number" ? part : 0;
};

function tokenOf({ token, logprob, bytes, top_logprobs: top }: JsonRecord): TokenLogprob[] {
  if (typeof token !== "string" || typeof logprob !== "number") return [];
  const numbers = Array.isArray(bytes)
    ? bytes.filter((byte) => typeof byte === "number")
    : [...Buffer.from(token)];
  const alternatives = (Array.isArray(top) ? top.map(recordOf) : []).flatMap(tokenOf);
  return [
    {
      token,
      logprob,
      bytes: numbers,
      alternatives: alternatives.map(({ alternatives: _, ...alternative }) => alternative),
    },
  ];
}

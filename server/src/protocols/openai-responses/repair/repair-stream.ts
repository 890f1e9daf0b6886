/**
 * Mends a stream of Responses of a server that leaves out what OpenAI always sends, for callers of Responses:
 * numbers, ids, the beginning and the end of items, and members of the response. What is there passes byte
 * for byte, also events and items of unknown types. A well-formed delta is told by its names alone.
 */
import { setMembers } from "../../../lib/json/set-members.ts";
import { itemsOf } from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";
import { createSseReaderFactory, flagComment, flagNamed, type SseReader } from "../../../lib/sse/sse.ts";
import type { StreamTranslator } from "../../protocol.ts";
import { EventOutput } from "./event-output.ts";
import { callTypes, itemTypeOf, partPositionOf } from "./items.ts";
import { ObjectView } from "./members.ts";
import { StreamedItems } from "./streamed-items.ts";
import { type ResponseHead, type ResponseStatus, wholeResponse } from "./whole-response.ts";

/** Same as the relay's limit: 8 MiB per event. */
const eventBytesMax = 8 * 1024 * 1024;
const marks = ["sequence_number", "item_id", "output_index", "delta", "content_index", "summary_index"];
const others = ["response", "item", "error"];
const readers = createSseReaderFactory({ marks: [...marks, ...others], eventBytesMax });

/** What every delta has, the same without its number, and what those of parts have beside it. */
const flagsOfDelta = 0b1111;
const flagsUnnumbered = 0b1110;
const flagNumber = 1;
const numberName = Buffer.from('"sequence_number"');
const flagsOfPart = 0b110000;

/** An error that `fault` reads as an upstream failure. */
const tooLarge = Buffer.from(
  'event: error\ndata: {"type":"error","error":{"type":"server_error","code":"server_error","message":""}}\n\n',
);

const openBrace = 0x7b;
const empty = Buffer.from("{}");

/** An event under way. */
interface Taken {
  readonly type: string;
  readonly view: ObjectView;
  /** Members that it lacks, as JSON by name. */
  readonly values: Record<string, string>;
}

/** What becomes of an event: it goes on with its values, or is left out. */
type Fate = "pass" | "drop";

export class RepairedStream implements StreamTranslator {
  readonly #reader: SseReader = readers.create();
  readonly #out = new EventOutput();
  readonly #items: StreamedItems;
  #head: ResponseHead;
  #hasBegun = false;
  #isOver = false;
  /** Events of the beginning that were said: a second one is left out. */
  readonly #saidProgress = new Set<string>();

  /** `head`: for what the server does not say of its response. */
  constructor(head: ResponseHead) {
    this.#head = head;
    this.#items = new StreamedItems(this.#out, head.id);
  }

  push(chunk: Buffer): Buffer {
    const fits = this.#reader.push(chunk);
    this.#takeAll();
    if (!fits && !this.#isOver) {
      this.#isOver = true;
      this.#out.write(tooLarge);
    }
    return this.#out.take();
  }

  end(): Buffer {
    this.#reader.end();
    if (!this.#isLastCutOff()) this.#takeAll();
    return this.#out.take();
  }

  /** True for a last event that breaks off. It is left out, as the relay does where nothing is mended. */
  #isLastCutOff(): boolean {
    const { buffer, count } = this.#reader;
    if (count === 0) return false;
    const start = this.#reader.dataStart(0);
    return start < 0 || !isWholeJson(buffer.subarray(start, this.#reader.dataEnd(0)));
  }

  #takeAll(): void {
    const reader = this.#reader;
    const { buffer, count } = reader;
    this.#out.read(buffer);
    for (let index = 0; index < count; index += 1) {
      const [start, end, flags] = [reader.eventStart(index), reader.eventEnd(index), reader.flags(index)];
      const dataStart = reader.dataStart(index);
      const isRead = flags !== flagComment && dataStart >= 0 && buffer[dataStart] === openBrace;
      if (this.#isOver || !isRead) {
        this.#out.pass(start, end);
        continue;
      }
      const data = buffer.subarray(dataStart, reader.dataEnd(index));
      if (!this.#isPlacedDelta(flags)) this.#takeEvent(index, data);
      else if ((flags & flagNumber) !== 0) this.#out.passDelta(start, end);
      // A number that is null has the name, but not its flag.
      else if (data.includes(numberName)) this.#takeEvent(index, data);
      else this.#out.passNumbered(start, dataStart, end);
    }
    this.#out.endRun();
  }

  /**
   * True for a delta that names its place, while items of its kind are open, and that keeps its number or has
   * none.
   */
  #isPlacedDelta(flags: number): boolean {
    const isPart = (flags & flagsOfPart) !== 0;
    const known = flags & ~(flagNamed | flagsOfPart);
    if (this.#items.isMoved) return false;
    if (known !== flagsUnnumbered && (known !== flagsOfDelta || this.#out.isRenumbered)) return false;
    return isPart ? this.#items.openParts > 0 : this.#items.openCalls > 0;
  }

  #takeEvent(index: number, data: Buffer): void {
    const reader = this.#reader;
    const view = new ObjectView(data);
    const named = view.text("type");
    const type = named ?? reader.eventName(index) ?? "";
    const [start, end] = [reader.eventStart(index), reader.eventEnd(index)];
    const values: Record<string, string> = named === undefined ? { type: JSON.stringify(type) } : {};
    if (isFailure(type, view)) {
      this.#isOver = true;
      this.#out.pass(start, end);
      return;
    }
    if (this.#take({ type, view, values }) === "drop") {
      this.#out.drop();
      return;
    }
    const number = this.#out.numberOf(view.number("sequence_number"));
    if (number !== undefined) values["sequence_number"] = String(number);
    const isLacking = Object.keys(values).length > 0;
    const mended = isLacking && isWholeJson(data) ? setMembers(data, 0, values) : data;
    if (mended === data) this.#out.pass(start, end);
    else this.#out.passWith(start, reader.dataStart(index), mended, reader.dataEnd(index), end);
    if (type.endsWith(".delta") && itemTypeOf(type) !== undefined) this.#out.keep(mended);
  }

  #take(taken: Taken): Fate {
    const { type } = taken;
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return this.#takeBeginning(taken);
      case "response.completed":
      case "response.incomplete":
        this.#takeEnd(taken);
        return "pass";
      default:
    }
    this.#begin(new ObjectView(empty));
    if (type === "response.output_item.added") return this.#items.add(taken.view, taken.values);
    if (type === "response.output_item.done") return this.#items.end(taken.view, taken.values);
    const itemType = itemTypeOf(type);
    if (itemType === undefined) return "pass";
    const item = this.#items.of(taken.view, type, itemType);
    // A call's item cannot begin without its name: what it says comes whole when the item is done.
    if (item === undefined) return callTypes.has(itemType) ? "drop" : "pass";
    this.#items.place(item, taken.view, taken.values);
    if (!callTypes.has(itemType))
      this.#items.placePart(item, type, partPositionOf(taken.view, type), taken.values);
    return "pass";
  }

  #takeBeginning({ type, view, values }: Taken): Fate {
    const response = view.object("response") ?? new ObjectView(empty);
    const isFirst = type === "response.created";
    if (isFirst ? this.#hasBegun : this.#saidProgress.has(type)) return "drop";
    this.#saidProgress.add(type);
    if (isFirst) this.#learn(response);
    else this.#beginAs(response);
    this.#mend(response, values, { status: "in_progress" });
    return "pass";
  }

  /** Says the beginning where the stream has none. `response`: the first that it names. */
  #begin(response: ObjectView): void {
    if (this.#hasBegun) return;
    const begun = this.#beginAs(response);
    this.#saidProgress.add("response.in_progress");
    this.#out.say("response.in_progress", `"response":${begun}`);
  }

  /** Says that the response was created; returns it. Empty: that was said. */
  #beginAs(response: ObjectView): string {
    if (this.#hasBegun) return "";
    this.#learn(response);
    const how = { status: "in_progress" } as const;
    const begun = wholeResponse(new ObjectView(empty), this.#head, how).toString("utf8");
    this.#out.say("response.created", `"response":${begun}`);
    return begun;
  }

  /** Later events name the response as the first one does. */
  #learn(response: ObjectView): void {
    this.#hasBegun = true;
    const { id, createdSeconds, model } = this.#head;
    this.#head = {
      id: response.text("id") ?? id,
      createdSeconds: response.number("created_at") ?? createdSeconds,
      model: response.text("model") ?? model,
    };
  }

  #mend(
    response: ObjectView,
    values: Record<string, string>,
    how: { readonly status: ResponseStatus; readonly output?: string | undefined },
  ): void {
    const mended = wholeResponse(response, this.#head, how);
    if (mended !== response.bytes) values["response"] = mended.toString("utf8");
  }

  #takeEnd({ type, view, values }: Taken): void {
    const response = view.object("response");
    // The reader behind it says that this is no end.
    if (response === undefined) return;
    this.#begin(response);
    this.#isOver = true;
    const list = response.isArray("output") ? response.span("output") : undefined;
    const said = list === undefined ? [] : itemsOf(response.bytes, list.start);
    const output = this.#items.close(said.map(({ start, end }) => response.bytes.subarray(start, end)));
    const status = type === "response.incomplete" ? "incomplete" : "completed";
    const isWhole = list !== undefined && said.length >= output.length;
    this.#mend(response, values, { status, output: isWhole ? undefined : `[${output.join(",")}]` });
  }
}

/** True for what a parser takes; the mending above reads members without one. */
const isWholeJson = (data: Buffer): boolean => parseJson(data.toString("utf8")) !== undefined;

/** True for an event that ends the stream as failed: it is judged by its own bytes. */
function isFailure(type: string, view: ObjectView): boolean {
  if (type === "error" || type === "response.failed" || type === "response.cancelled" || type === "")
    return true;
  if (type !== "response.completed" && type !== "response.incomplete") return false;
  const response = view.object("response");
  const status = response?.text("status");
  return response?.object("error") !== undefined || status === "failed" || status === "cancelled";
}

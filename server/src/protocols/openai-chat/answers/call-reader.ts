/**
 * Reports the tool calls of one choice to a sink, one after the other, however an upstream numbers and names
 * them (docs/wire/openai-chat.md section 12). A call begins once its name is known, is numbered by its
 * position among the reported calls, and gets an id that no other call has.
 */
import type { AnswerSink } from "../../../conversation/answer.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import { textIn } from "./choice-parts.ts";

/** More calls in one answer are ignored. */
const callsMax = 128;
/** Longest plain text of a custom tool. */
const customMax = 16 * 1024 * 1024;

export interface CallRules {
  /** Tools whose only argument is plain text. */
  readonly customTools: ReadonlySet<string>;
  /** True when only one call can be reported. */
  readonly isSingle: boolean;
  /** Calls without an id get one derived from this. */
  readonly answerId: string;
  /** Call ids of all choices. */
  readonly ids: Set<string>;
  /** Called for each reported call. */
  readonly onCall: (id: string) => void;
}

interface Call {
  /** The upstream's number of the call. */
  readonly at: number | undefined;
  /** The upstream's id; empty if it gave none. */
  givenId: string;
  name: string;
  signature: string;
  /** True when it arrives as a custom tool's call. */
  isCustomOnWire: boolean;
  /** Not yet reported: arguments before the name is known, or all of a custom tool's input. */
  held: string;
  /** Its number once reported; undefined before. */
  number: number | undefined;
  isOver: boolean;
}

const signatureIn = (raw: JsonRecord): string =>
  textIn(recordOf(recordOf(raw["extra_content"])["google"])["thought_signature"]) ||
  textIn(raw["thought_signature"]);

/** Arguments are a string; some upstreams send the object itself. */
function argumentsIn(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

export class CallReader {
  readonly #sink: AnswerSink;
  readonly #choice: number;
  readonly #rules: CallRules;
  readonly #calls: Call[] = [];
  #said = 0;

  constructor(sink: AnswerSink, choice: number, rules: CallRules) {
    this.#sink = sink;
    this.#choice = choice;
    this.#rules = rules;
  }

  /** Number of calls reported so far. */
  get said(): number {
    return this.#said;
  }

  /** Reads an entry of `tool_calls`. `isWhole`: each entry is a separate call. */
  take(raw: JsonRecord, isWhole: boolean): void {
    const custom = raw["custom"];
    const called = recordOf(isRecord(custom) ? custom : raw["function"]);
    const name = textIn(called["name"]) || textIn(raw["name"]);
    const call = isWhole ? this.#add(raw, textIn(raw["id"])) : this.#find(raw, name);
    if (call === undefined) return;
    if (call.name === "") call.name = name;
    if (call.givenId === "") call.givenId = textIn(raw["id"]);
    if (call.signature === "") call.signature = signatureIn(raw);
    if (isRecord(custom) || raw["type"] === "custom") call.isCustomOnWire = true;
    this.#write(call, argumentsIn(isRecord(custom) ? custom["input"] : called["arguments"]));
  }

  /** Reads the old `function_call`: there is only one, in fragments. */
  takeLegacy(called: JsonRecord): void {
    const [first] = this.#calls;
    const call = first ?? this.#add({}, "");
    if (call === undefined) return;
    if (call.name === "") call.name = textIn(called["name"]);
    this.#write(call, argumentsIn(called["arguments"]));
  }

  /** Ends the choice: reports what was held. Calls without a name are dropped. */
  end(): void {
    for (const call of this.#calls) this.#end(call);
  }

  /** The call that a stream's entry belongs to. */
  #find(raw: JsonRecord, name: string): Call | undefined {
    const id = textIn(raw["id"]);
    const at = raw["index"];
    const number = typeof at === "number" && Number.isInteger(at) && at >= 0 ? at : undefined;
    const byId = id === "" ? undefined : this.#calls.findLast(({ givenId }) => givenId === id);
    if (byId !== undefined) return byId;
    const known =
      number === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.at === number);
    if (known === undefined) return this.#add(raw, id);
    // Several calls may all be numbered 0 and differ by id. A new id without a name still belongs to the
    // known call.
    const isOther = id !== "" && known.givenId !== "" && name !== "";
    const isNext = number === undefined && name !== "" && known.name !== "";
    return isOther || isNext ? this.#add(raw, id) : known;
  }

  #add({ index }: JsonRecord, givenId: string): Call | undefined {
    const most = this.#rules.isSingle ? 1 : callsMax;
    // Fragments of calls beyond the limit must not be added to the last call.
    if (this.#calls.length > most) return this.#calls.at(-1);
    // Keeps the order of calls even if one waits for its id. Custom tools wait for the end anyway.
    for (const call of this.#calls) if (call.name !== "" && !this.#isCustom(call)) this.#begin(call);
    const at = typeof index === "number" && Number.isInteger(index) ? index : undefined;
    const call: Call = {
      at,
      givenId,
      name: "",
      signature: "",
      isCustomOnWire: false,
      held: "",
      number: undefined,
      isOver: this.#calls.length >= most,
    };
    this.#calls.push(call);
    return call;
  }

  #write(call: Call, fragment: string): void {
    if (call.isOver) return;
    if (this.#isCustom(call) || call.name === "") {
      if (call.held.length + fragment.length <= customMax) call.held += fragment;
      return;
    }
    // An id may come late, but not later than the arguments.
    if (call.number === undefined && call.givenId === "" && fragment === "") return;
    this.#begin(call);
    this.#sayArguments(call, fragment);
  }

  #isCustom({ isCustomOnWire, name }: Call): boolean {
    return isCustomOnWire || this.#rules.customTools.has(name);
  }

  #begin(call: Call): void {
    if (call.number !== undefined || call.isOver) return;
    call.number = this.#said;
    this.#sink.toolCall(call.number, this.#headOf(call), this.#choice);
    this.#sayArguments(call, "");
  }

  #sayArguments(call: Call, fragment: string): void {
    const text = call.held + fragment;
    call.held = "";
    if (text !== "") this.#sink.toolArguments(call.number as number, text, this.#choice);
  }

  #headOf({ givenId, name, signature }: Call) {
    const { answerId, ids, onCall } = this.#rules;
    const isFree = givenId !== "" && !ids.has(givenId);
    const id = isFree ? givenId : `call_${answerId.replace(/^[a-z]+[-_](?:req_)?/, "")}_${ids.size}`;
    ids.add(id);
    this.#said += 1;
    onCall(id);
    return { id, name, ...(signature === "" ? {} : { signature }) };
  }

  #end(call: Call): void {
    if (call.isOver || call.name === "") return;
    if (!this.#isCustom(call)) {
      this.#begin(call);
      return;
    }
    call.isOver = true;
    const index = this.#said;
    this.#sink.customCall(index, { ...this.#headOf(call), input: this.#inputOf(call) }, this.#choice);
  }

  /** For upstreams without custom tools the tool was a function with one text, which is extracted here. */
  #inputOf({ isCustomOnWire, held }: Call): string {
    if (isCustomOnWire) return held;
    const { input } = recordOf(parseJson(held));
    return typeof input === "string" ? input : held;
  }
}

/**
 * The tool calls of one choice, said to a sink one after the other, whatever an upstream makes of numbers,
 * ids and names (docs/wire/openai-chat.md section 12): a call begins once its name is known, its number is
 * the place it has among those that were said, and its id is never another call's.
 */
import type { AnswerSink } from "../../../conversation/answer.ts";
import { isRecord, type JsonRecord, parseJson, recordOf } from "../../../lib/record.ts";
import { textIn } from "./choice-parts.ts";

/** More calls than this nobody asks for in one answer. */
const callsMax = 128;
/** No plain text for a custom tool is longer. */
const customMax = 16 * 1024 * 1024;

export interface CallRules {
  /** Tools whose only argument is a plain text. */
  readonly customTools: ReadonlySet<string>;
  /** Is there room for one call only? */
  readonly isSingle: boolean;
  /** Ids are made from it where the upstream gives none. */
  readonly answerId: string;
  /** Ids of all choices' calls. */
  readonly ids: Set<string>;
  /** Is told of each call that is said. */
  readonly onCall: (id: string) => void;
}

interface Call {
  /** The upstream's number of it. */
  readonly at: number | undefined;
  /** The upstream's id; empty where it gave none. */
  givenId: string;
  name: string;
  signature: string;
  /** Does it come as a custom tool's? */
  isCustomOnWire: boolean;
  /** What is not said yet: arguments before a name is known, or all of a custom tool's input. */
  held: string;
  /** As it was said; undefined = not yet. */
  number: number | undefined;
  isOver: boolean;
}

const signatureIn = (raw: JsonRecord): string =>
  textIn(recordOf(recordOf(raw["extra_content"])["google"])["thought_signature"]) ||
  textIn(raw["thought_signature"]);

/** Arguments are a text; some upstreams send the object itself. */
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

  /** Calls that were said so far. */
  get said(): number {
    return this.#said;
  }

  /** An entry of `tool_calls`. `isWhole`: each is a call of its own. */
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

  /** The old `function_call`: there is one, in pieces. */
  takeLegacy(called: JsonRecord): void {
    const [first] = this.#calls;
    const call = first ?? this.#add({}, "");
    if (call === undefined) return;
    if (call.name === "") call.name = textIn(called["name"]);
    this.#write(call, argumentsIn(called["arguments"]));
  }

  /** The choice is over: says what waits. Calls without a name are none. */
  end(): void {
    for (const call of this.#calls) this.#end(call);
  }

  /** The call an entry of a stream belongs to. */
  #find(raw: JsonRecord, name: string): Call | undefined {
    const id = textIn(raw["id"]);
    const at = raw["index"];
    const number = typeof at === "number" && Number.isInteger(at) && at >= 0 ? at : undefined;
    const byId = id === "" ? undefined : this.#calls.findLast(({ givenId }) => givenId === id);
    if (byId !== undefined) return byId;
    const known =
      number === undefined ? this.#calls.at(-1) : this.#calls.findLast((call) => call.at === number);
    if (known === undefined) return this.#add(raw, id);
    // Several calls all numbered 0 differ by their ids; an id without a name is a whim of the upstream's.
    const isOther = id !== "" && known.givenId !== "" && name !== "";
    const isNext = number === undefined && name !== "" && known.name !== "";
    return isOther || isNext ? this.#add(raw, id) : known;
  }

  #add({ index }: JsonRecord, givenId: string): Call | undefined {
    const most = this.#rules.isSingle ? 1 : callsMax;
    // What belongs to a call too many must not end in the last one that has room.
    if (this.#calls.length > most) return this.#calls.at(-1);
    // The order of calls is kept, though one waits for its id. Texts for custom tools wait for the end
    // anyway.
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
    // Its id may come late, but not later than its arguments.
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

  /** An upstream without custom tools was given a function with one text: it is taken out again. */
  #inputOf({ isCustomOnWire, held }: Call): string {
    if (isCustomOnWire) return held;
    const { input } = recordOf(parseJson(held));
    return typeof input === "string" ? input : held;
  }
}

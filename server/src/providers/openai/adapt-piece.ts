/** Changes one chunk or whole answer, in place, to what OpenAI would send. Names no service. */
import { isRecord } from "../../lib/record.ts";
import type { AnswerContext, ProviderRequest } from "../../protocols/protocol.ts";
import type { AnswerRules } from "./rules.ts";

type Fields = Record<string, unknown>;

/** A parsed chunk or answer. Its choices are untrusted. */
export type Piece = Fields;

/** The tool calls of a choice so far. */
interface Calls {
  /** Call number by id. */
  readonly numbers: Map<string, number>;
  /** Ids by call number. */
  readonly ids: string[];
}

/** What is asked of the request an answer belongs to. */
export interface AdaptContext extends Pick<AnswerContext, "id" | "createdSeconds" | "model"> {
  readonly request: Pick<ProviderRequest, "memory">;
}

/** What is known of the answer so far. */
export interface PieceState {
  readonly context: AdaptContext;
  readonly isStream: boolean;
  /** By choice index. */
  readonly calls: Map<number, Calls>;
  /** The thoughts of each choice if they are to be remembered; undefined once they exceed `thoughtsMax`. */
  readonly thoughts: Map<number, string | undefined>;
}

/** Longer thoughts are not remembered, because truncated ones would mislead the model. */
const thoughtsMax = 256 * 1024;

/** `empty`: nothing the caller needs. `failed`: the upstream's reason why there is no answer. */
export type PieceOutcome = "same" | "changed" | "empty" | { readonly failed: string };

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []) as Fields[];

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Moves thoughts to `reasoning_content`, the name clients read. */
function adaptReasoning(holder: Fields, name: string): boolean {
  const text = holder[name];
  if (typeof text !== "string") return false;
  if (textIn(holder["reasoning_content"]) === "" && text !== "") holder["reasoning_content"] = text;
  delete holder[name];
  return true;
}

/**
 * `[{type:"thinking",thinking:[{type:"text",text}]},{type:"text",text}]` → a text, with the thoughts in their
 * own field.
 */
function adaptParts(holder: Fields): boolean {
  if (!Array.isArray(holder["content"])) return false;
  let text = "";
  let thoughts = "";
  for (const part of listOf(holder["content"])) {
    if (part["type"] === "thinking") {
      const { thinking } = part;
      thoughts += textIn(thinking) + listOf(thinking).reduce((all, each) => all + textIn(each["text"]), "");
    } else text += textIn(part["text"]);
  }
  holder["content"] = text;
  if (thoughts !== "") holder["reasoning_content"] = textIn(holder["reasoning_content"]) + thoughts;
  return true;
}

/** The number of a call: as given, unless another call has it. A new id gets the next free number. */
function numberOf(call: Fields, place: number, calls: Calls): number {
  const id = textIn(call["id"]);
  const said = call["index"];
  const isNumber = typeof said === "number" && Number.isInteger(said) && said >= 0 && said < 128;
  if (id !== "") {
    const known = calls.numbers.get(id);
    if (known !== undefined) return known;
    const isFree = isNumber && (calls.ids[said] ?? id) === id;
    const number = isFree ? said : calls.ids.length;
    calls.numbers.set(id, number);
    calls.ids[number] = id;
    return number;
  }
  if (isNumber) return said;
  return Math.max(0, calls.ids.length - 1, calls.ids.length === 0 ? place : 0);
}

function adaptCall(call: Fields, place: number, calls: Calls, state: PieceState): boolean {
  let isChanged = false;
  const set = (fields: Fields, name: string, value: unknown): void => {
    fields[name] = value;
    isChanged = true;
  };
  const number = numberOf(call, place, calls);
  if (state.isStream && call["index"] !== number) set(call, "index", number);
  const isFirst = state.isStream ? calls.ids[number] === undefined : textIn(call["id"]) === "";
  if (isFirst && textIn(call["id"]) === "") {
    const id = `call_${state.context.id.slice(-12)}_${number}`;
    set(call, "id", id);
    calls.ids[number] = id;
  }
  const called = call["function"];
  if (!isRecord(called)) return isChanged;
  if (textIn(call["type"]) === "" && textIn(call["id"]) !== "") set(call, "type", "function");
  const given = called["arguments"];
  if (typeof given === "string" || (given === undefined && state.isStream)) return isChanged;
  set(called as Fields, "arguments", given === null || given === undefined ? "" : JSON.stringify(given));
  return isChanged;
}

function adaptCalls(holder: Fields, choice: number, state: PieceState): boolean {
  const list = listOf(holder["tool_calls"]);
  if (list.length === 0) return false;
  const known = state.calls.get(choice);
  const calls = known ?? { numbers: new Map<string, number>(), ids: [] };
  if (known === undefined) state.calls.set(choice, calls);
  return list.reduce((isChanged, call, place) => adaptCall(call, place, calls, state) || isChanged, false);
}

/** Changes the choice's finish reason. Returns the upstream's word if it means that there is no answer. */
function adaptFinish(choice: Fields, index: number, rules: AnswerRules, state: PieceState) {
  const given = choice["finish_reason"];
  if (typeof given !== "string") return "same";
  const finish = rules.finish;
  const meaning = finish !== undefined && Object.hasOwn(finish, given) ? finish[given] : undefined;
  if (meaning === "failed") return { failed: given };
  const isCalling = state.calls.has(index) && (meaning ?? given) === "stop";
  const finishReason = given === "" ? null : isCalling ? "tool_calls" : (meaning ?? given);
  if (finishReason === given) return "same";
  choice["finish_reason"] = finishReason;
  return "changed";
}

/** When a choice is finished, stores the thoughts before its tool calls by each call's id. */
function remember(
  choice: Fields,
  holder: Fields,
  index: number,
  { context, calls, thoughts }: PieceState,
): void {
  const before = thoughts.has(index) ? thoughts.get(index) : "";
  if (before === undefined) return;
  const text = before + textIn(holder["reasoning_content"]);
  thoughts.set(index, text.length <= thoughtsMax ? text : undefined);
  if (text === "" || text.length > thoughtsMax || typeof choice["finish_reason"] !== "string") return;
  const kept = JSON.stringify(text);
  for (const id of calls.get(index)?.ids ?? []) {
    if (id !== undefined) context.request.memory?.remember(id, kept);
  }
}

function strip(fields: Fields, names: readonly string[]): boolean {
  let isChanged = false;
  for (const name of names) {
    if (!(name in fields)) continue;
    delete fields[name];
    isChanged = true;
  }
  return isChanged;
}

/** Fills in ids, times and model names that an answer must have. */
function fill(piece: Piece, { id, createdSeconds, model }: AdaptContext): boolean {
  let isChanged = false;
  for (const [name, value, empty] of [
    ["id", id, ""],
    ["created", createdSeconds, 0],
    ["model", model, ""],
  ] as const) {
    if (piece[name] !== empty) continue;
    piece[name] = value;
    isChanged = true;
  }
  return isChanged;
}

/** True when a choice of a stream has content. */
function hasOutput(choice: Fields): boolean {
  if (typeof choice["finish_reason"] === "string") return true;
  const delta = choice["delta"];
  return isRecord(delta) && Object.values(delta).some((value) => value !== null);
}

/** True when a choice has a finish reason. */
export const hasFinishReason = ({ choices }: Piece): boolean =>
  listOf(choices).some((choice) => textIn(choice["finish_reason"]) !== "");

/** Adapts one chunk or answer in place. Its content is untrusted. */
export function adaptPiece(piece: Piece, rules: AnswerRules, state: PieceState): PieceOutcome {
  let isChanged = rules.tidies === true && fill(piece, state.context);
  const strips = rules.strips ?? [];
  isChanged = strip(piece, strips) || isChanged;
  const choices = listOf(piece["choices"]);
  for (const choice of choices) {
    const index = typeof choice["index"] === "number" ? choice["index"] : 0;
    const holder = choice[state.isStream ? "delta" : "message"];
    isChanged = strip(choice, strips) || isChanged;
    if (isRecord(holder)) {
      const fields = holder as Fields;
      isChanged = strip(fields, strips) || isChanged;
      if (rules.reasoning !== undefined) isChanged = adaptReasoning(fields, rules.reasoning) || isChanged;
      if (rules.hasParts === true) isChanged = adaptParts(fields) || isChanged;
      isChanged = adaptCalls(fields, index, state) || isChanged;
      if (rules.isRemembered === true) remember(choice, fields, index, state);
    }
    if (rules.hasChoiceUsage === true && isRecord(choice["usage"])) {
      piece["usage"] ??= choice["usage"];
      delete choice["usage"];
      isChanged = true;
    }
    const outcome = adaptFinish(choice, index, rules, state);
    if (typeof outcome === "object") return outcome;
    isChanged = outcome === "changed" || isChanged;
  }
  if (rules.tidies === true && state.isStream && !choices.some(hasOutput) && !isRecord(piece["usage"])) {
    return "empty";
  }
  return isChanged ? "changed" : "same";
}

/**
 * An answer's events → the Responses format, streamed or whole by the same code
 * (docs/wire/openai-responses.md sections 2 and 3): items in the order they begin, each with all of its
 * events, then the terminal event with the complete response object.
 */
import type { Usage } from "@plaza/contract/usage.ts";
import type {
  CallHead,
  EndReason,
  OpaqueReasoning,
  StreamSink,
  TokenLogprob,
} from "../../conversation/answer.ts";
import type { Citation } from "../../conversation/blocks.ts";
import type { Seal } from "../payloads/seal.ts";
import type { Echo } from "./echo.ts";
import { EventLog, usageEvent } from "./events.ts";
import { nativeFormat } from "./models.ts";
import {
  HeldCall,
  type ItemPosition,
  type ItemStatus,
  namedCall,
  OpenCall,
  OpenMessage,
  OpenReasoning,
  sayCustomCall,
  sayImage,
} from "./open-items.ts";
import type { ToolNames } from "./request/tool-names.ts";
import { usageOnWire } from "./usage.ts";

/** Values an answer needs from the request. */
export interface AnswerHead {
  /** The response's id, `resp_…`; the ids of its items are derived from it. */
  readonly id: string;
  readonly createdSeconds: number;
  /** The upstream model's name, used when the answer names none. */
  readonly model: string;
  readonly echo: Echo;
  readonly toolNames: ToolNames;
  readonly seal: Seal;
}

/** Most characters of an answer kept for the terminal event; a longer answer fails. */
const keptMax = 32 * 1024 * 1024;

/** OpenAI accepts ids of up to 64 characters. */
const idBaseMax = 48;

type Status = "in_progress" | "completed" | "incomplete";

const endings: Readonly<Record<EndReason, { status: Status; reason?: string }>> = {
  stop: { status: "completed" },
  tool_calls: { status: "completed" },
  length: { status: "incomplete", reason: "max_output_tokens" },
  content_filter: { status: "incomplete", reason: "content_filter" },
};

/** An open call. A held one gets its position when it is written. */
type OpenCallAt =
  | { readonly call: OpenCall; readonly at: number }
  | { readonly call: HeldCall; readonly at: undefined };

export class ResponseWriter implements StreamSink {
  readonly #head: AnswerHead;
  readonly #log: EventLog;
  readonly #idBase: string;
  #echo: string | undefined;
  #model: string;
  /** Finished items as JSON, by index. */
  readonly #output: (string | undefined)[] = [];
  #message: OpenMessage | undefined;
  #messageAt = 0;
  #reasoning: OpenReasoning | undefined;
  #reasoningAt = 0;
  readonly #calls = new Map<number, OpenCallAt>();
  /** Token probabilities that wait for their text. */
  #tokens: TokenLogprob[] = [];
  /**
   * Signatures of parts of the open message. They must not split it, and no upstream needs those of an
   * answer's last: programs read the last item as the result.
   */
  #late: OpaqueReasoning[] = [];
  #textLength = 0;
  #kept = 0;
  #finish: EndReason | undefined;
  #usage: Usage | undefined;
  #hasBegun = false;
  #isConcluded = false;
  #isClosed = false;

  constructor(head: AnswerHead, isStream: boolean) {
    this.#head = head;
    this.#log = new EventLog(isStream);
    this.#model = head.model;
    this.#idBase = head.id.replace(/^resp_(?:req_)?/, "").slice(-idBaseMax);
  }

  /** Returns the events written since the last call and clears them. */
  take(): Buffer {
    return this.#log.take();
  }

  /** The whole response object; undefined when the answer has not ended. */
  build(): Buffer | undefined {
    if (this.#finish === undefined) return undefined;
    this.#closeItems();
    return Buffer.from(this.#response(endings[this.#finish]));
  }

  model(name: string): void {
    if (!this.#hasBegun) this.#model = name;
  }

  begin(choice = 0): void {
    if (this.#hasBegun || choice !== 0) return;
    this.#hasBegun = true;
    const response = `"response":${this.#response({ status: "in_progress" })}`;
    this.#log.say("response.created", response);
    this.#log.say("response.in_progress", response);
  }

  text(text: string, choice = 0): void {
    if (text === "" || !this.#keeps(text, choice)) return;
    this.#openMessage().text(text, this.#tokens);
    this.#tokens = [];
    this.#textLength += text.length;
  }

  refusal(text: string, choice = 0): void {
    if (text !== "" && this.#keeps(text, choice)) this.#openMessage().refusal(text);
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    if (choice === 0) this.#tokens.push(...tokens);
  }

  citation(citation: Citation, choice = 0): void {
    if (this.#keeps(citation.url, choice)) this.#message?.citation(citation);
  }

  reasoning(text: string, choice = 0): void {
    if (text !== "" && this.#keeps(text, choice)) this.#openReasoning().think(text);
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice = 0): void {
    if (!this.#keeps(reasoning.data ?? reasoning.signature ?? "", choice)) return;
    if (this.#message !== undefined && reasoning.id !== undefined && reasoning.format !== nativeFormat)
      this.#late.push(reasoning);
    else this.#keepOpaque(reasoning);
  }

  toolCall(index: number, head: CallHead, choice = 0): void {
    if (!this.#keeps(head.name, choice) || this.#calls.has(index)) return;
    this.#makeRoom(head);
    const own = this.#head.toolNames.ownOf(head.name);
    const named = namedCall(head, own);
    if (own.callerTool !== undefined) {
      this.#calls.set(index, { call: new HeldCall(named, own.callerTool), at: undefined });
      return;
    }
    const position = this.#nextPosition("fc");
    this.#calls.set(index, { call: new OpenCall(this.#log, position, named), at: position.index });
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    if (fragment !== "" && this.#keeps(fragment, choice)) this.#calls.get(index)?.call.add(fragment);
  }

  customCall(_index: number, head: CallHead & { readonly input: string }, choice = 0): void {
    if (!this.#keeps(head.input, choice)) return;
    this.#makeRoom(head);
    const position = this.#nextPosition("ctc");
    const named = namedCall(head, this.#head.toolNames.ownOf(head.name));
    this.#output[position.index] = sayCustomCall(this.#log, position, named, head.input);
  }

  image(_mediaType: string, base64: string, choice = 0): void {
    if (!this.#keeps(base64, choice)) return;
    this.#closeItems();
    const position = this.#nextPosition("ig");
    this.#output[position.index] = sayImage(this.#log, position, base64);
  }

  finish(reason: EndReason, choice = 0): void {
    if (choice !== 0) return;
    this.begin();
    this.#finish = reason;
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** Writes a comment. */
  idle(): void {
    this.#log.write(": \n\n");
  }

  reportUsage(): void {
    if (this.#isClosed || this.#usage === undefined) return;
    const usage = JSON.stringify(usageOnWire(this.#usage));
    this.#log.sayAside(usageEvent, `"response":{"usage":${usage}}`);
  }

  /** Writes an error for `fault` to read. */
  error(json: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#log.write(`event: error\ndata: ${json.replace(/[\r\n]+/g, " ")}\n\n`);
  }

  conclude(): void {
    if (this.#isClosed || this.#isConcluded || this.#finish === undefined) return;
    this.#isConcluded = true;
    this.#closeItems();
    this.reportUsage();
  }

  /** Writes the terminal event. Without a finish reason no end is written. */
  close(): void {
    if (this.#isClosed || this.#finish === undefined) return;
    this.conclude();
    this.#isClosed = true;
    const ending = endings[this.#finish];
    this.#log.say(`response.${ending.status}`, `"response":${this.#response(ending)}`);
  }

  /** True for content of choice 0, the only one. Counts the characters that the terminal event repeats. */
  #keeps(text: string, choice: number): boolean {
    if (choice !== 0 || this.#isClosed || this.#isConcluded) return false;
    this.begin();
    this.#kept += text.length;
    if (this.#kept > keptMax) throw new Error("the answer is too long to be said in one response");
    return true;
  }

  #nextPosition(prefix: string): ItemPosition {
    const index = this.#output.length;
    this.#output.push(undefined);
    return { id: `${prefix}_${this.#idBase}_${index}`, index };
  }

  #openMessage(): OpenMessage {
    if (this.#message !== undefined) return this.#message;
    this.#closeItems();
    const position = this.#nextPosition("msg");
    this.#messageAt = position.index;
    this.#message = new OpenMessage(this.#log, position, this.#textLength);
    return this.#message;
  }

  #openReasoning(): OpenReasoning {
    if (this.#reasoning !== undefined) return this.#reasoning;
    this.#closeItems();
    const position = this.#nextPosition("rs");
    this.#reasoningAt = position.index;
    this.#reasoning = new OpenReasoning(this.#log, position, this.#head.seal);
    return this.#reasoning;
  }

  #keepOpaque({ callsBefore: _, ...part }: OpaqueReasoning): void {
    const open = this.#openReasoning();
    if (part.format === nativeFormat && part.data !== undefined) {
      open.keepNative(part.data);
      this.#closeReasoning();
    } else open.keep(part);
  }

  /**
   * Prepares for a call: writes its vendor's data as a reasoning item, and ends open items except calls whose
   * arguments may still come.
   */
  #makeRoom({ id, signature }: CallHead): void {
    if (signature !== undefined) this.#openReasoning().keep({ call: id, data: signature });
    this.#closeSaid("completed");
    for (const [number, { call }] of this.#calls) if (call.isWhole) this.#closeCall(number, "completed");
  }

  #closeReasoning(): void {
    if (this.#reasoning === undefined) return;
    this.#output[this.#reasoningAt] = this.#reasoning.close();
    this.#reasoning = undefined;
  }

  #closeCall(number: number, status: ItemStatus): void {
    const open = this.#calls.get(number);
    if (open === undefined) return;
    this.#calls.delete(number);
    if (open.at !== undefined) {
      this.#output[open.at] = open.call.close(status);
      return;
    }
    const position = this.#nextPosition(open.call.idPrefix);
    this.#output[position.index] = open.call.close(this.#log, position, status);
  }

  /** Ends the open message and reasoning items. */
  #closeSaid(status: ItemStatus): void {
    this.#closeReasoning();
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    message.tokens(this.#tokens);
    this.#tokens = [];
    this.#output[this.#messageAt] = message.close(status);
    const late = this.#finish === undefined ? this.#late : [];
    this.#late = [];
    for (const reasoning of late) this.#keepOpaque(reasoning);
    this.#closeReasoning();
  }

  /** Ends all open items; the last one is incomplete if the answer is. */
  #closeItems(): void {
    const isCut = this.#finish !== undefined && endings[this.#finish].status === "incomplete";
    const status = isCut ? "incomplete" : "completed";
    const last = [...this.#calls.keys()].at(-1);
    this.#closeSaid(last === undefined ? status : "completed");
    for (const number of [...this.#calls.keys()])
      this.#closeCall(number, number === last ? status : "completed");
  }

  #response({ status, reason }: { status: Status; reason?: string }): string {
    this.#echo ??= JSON.stringify(this.#head.echo).slice(1, -1);
    const { id, createdSeconds } = this.#head;
    const details = reason === undefined ? null : { reason };
    const isOver = status !== "in_progress" && this.#usage !== undefined;
    const usage = isOver ? usageOnWire(this.#usage as Usage) : null;
    const output = this.#output.filter((item) => item !== undefined);
    const before = { id, object: "response", created_at: createdSeconds, status };
    const after = { error: null, incomplete_details: details, model: this.#model, usage };
    return `${JSON.stringify(before).slice(0, -1)},${this.#echo},"output":[${output}],${JSON.stringify(after).slice(1)}`;
  }
}

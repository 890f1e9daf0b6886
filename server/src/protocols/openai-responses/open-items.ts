/**
 * The open items of an answer. Each writes its events and, at its end, returns its JSON for `output`
 * (docs/wire/openai-responses.md sections 2 and 3).
 */
import type { CallHead, TokenLogprob } from "../../conversation/answer.ts";
import type { Citation } from "../../conversation/blocks.ts";
import { type JsonRecord, recordOf } from "../../lib/record.ts";
import { responsesPayloads } from "../payloads/marks.ts";
import type { PayloadPart } from "../payloads/payload.ts";
import type { Seal } from "../payloads/seal.ts";
import type { EventLog } from "./events.ts";
import { type CallerTool, callTypeOf } from "./request/caller-tools.ts";
import type { OwnName } from "./request/tool-names.ts";

export type ItemStatus = "completed" | "incomplete";

/** An item's index and id. */
export interface ItemPosition {
  readonly id: string;
  readonly index: number;
}

const json = (value: unknown): string => JSON.stringify(value);

const positionOf = ({ id, index }: ItemPosition): string => `"item_id":${json(id)},"output_index":${index}`;

/** Writes the event that an item begins. */
function added(log: EventLog, { index }: ItemPosition, item: string): void {
  log.say("response.output_item.added", `"output_index":${index},"item":${item}`);
}

/** Writes the event that an item ended; returns its JSON. */
function done(log: EventLog, { index }: ItemPosition, item: string): string {
  log.say("response.output_item.done", `"output_index":${index},"item":${item}`);
  return item;
}

const logprobOnWire = ({ token, logprob, bytes, alternatives }: TokenLogprob): string =>
  json({ token, logprob, bytes, top_logprobs: alternatives });

const citationOnWire = ({ url, title, start, end }: Citation, offset: number): string =>
  json({
    type: "url_citation",
    url,
    title,
    start_index: Math.max(0, start - offset),
    end_index: Math.max(0, end - offset),
  });

interface Part {
  readonly kind: "output_text" | "refusal";
  /** `item_id`, `output_index` and `content_index`. */
  readonly position: string;
  text: string;
  readonly annotations: string[];
  readonly logprobs: string[];
}

function partOnWire({ kind, text, annotations, logprobs }: Part): string {
  if (kind === "refusal") return `{"type":"refusal","refusal":${json(text)}}`;
  return `{"type":"output_text","annotations":[${annotations}],"logprobs":[${logprobs}],"text":${json(text)}}`;
}

export class OpenMessage {
  readonly #log: EventLog;
  readonly #position: ItemPosition;
  readonly #parts: string[] = [];
  #open: Part | undefined;
  /**
   * Characters of the answer's text before the open part; citation positions count from the answer's start.
   */
  readonly #before: number;
  #said = 0;

  /** `before`: characters of text in earlier items. */
  constructor(log: EventLog, position: ItemPosition, before: number) {
    this.#log = log;
    this.#position = position;
    this.#before = before;
    added(log, position, this.#onWire("in_progress"));
  }

  text(text: string, tokens: readonly TokenLogprob[]): void {
    const part = this.#part("output_text");
    part.text += text;
    this.#said += text.length;
    const logprobs = tokens.map(logprobOnWire);
    part.logprobs.push(...logprobs);
    this.#log.say(
      "response.output_text.delta",
      `${part.position},"delta":${json(text)},"logprobs":[${logprobs}]`,
    );
  }

  refusal(text: string): void {
    const part = this.#part("refusal");
    part.text += text;
    this.#log.say("response.refusal.delta", `${part.position},"delta":${json(text)}`);
  }

  /** Adds token probabilities of text that is already written. */
  tokens(tokens: readonly TokenLogprob[]): void {
    if (this.#open?.kind === "output_text") this.#open.logprobs.push(...tokens.map(logprobOnWire));
  }

  citation(citation: Citation): void {
    const part = this.#part("output_text");
    const offset = this.#before + this.#said - part.text.length;
    const annotation = citationOnWire(citation, offset);
    this.#log.say(
      "response.output_text.annotation.added",
      `${part.position},"annotation_index":${part.annotations.length},"annotation":${annotation}`,
    );
    part.annotations.push(annotation);
  }

  close(status: ItemStatus): string {
    this.#closePart();
    return done(this.#log, this.#position, this.#onWire(status));
  }

  #onWire(status: string): string {
    const { id } = this.#position;
    return `{"id":${json(id)},"type":"message","status":"${status}","content":[${this.#parts}],"role":"assistant"}`;
  }

  #part(kind: Part["kind"]): Part {
    if (this.#open?.kind === kind) return this.#open;
    this.#closePart();
    const position = `${positionOf(this.#position)},"content_index":${this.#parts.length}`;
    const part: Part = { kind, position, text: "", annotations: [], logprobs: [] };
    this.#open = part;
    this.#log.say("response.content_part.added", `${position},"part":${partOnWire(part)}`);
    return part;
  }

  #closePart(): void {
    const part = this.#open;
    if (part === undefined) return;
    this.#open = undefined;
    const { kind, position, text, logprobs } = part;
    if (kind === "refusal") this.#log.say("response.refusal.done", `${position},"refusal":${json(text)}`);
    else
      this.#log.say("response.output_text.done", `${position},"text":${json(text)},"logprobs":[${logprobs}]`);
    const said = partOnWire(part);
    this.#log.say("response.content_part.done", `${position},"part":${said}`);
    this.#parts.push(said);
  }
}

const summaryOnWire = (text: string): string => `{"type":"summary_text","text":${json(text)}}`;

export class OpenReasoning {
  readonly #log: EventLog;
  readonly #position: ItemPosition;
  readonly #seal: Seal;
  readonly #summary: string[] = [];
  readonly #kept: PayloadPart[] = [];
  #native: string | undefined;
  #text: string | undefined;

  constructor(log: EventLog, position: ItemPosition, seal: Seal) {
    this.#log = log;
    this.#position = position;
    this.#seal = seal;
    added(log, position, this.#onWire(undefined));
  }

  think(text: string): void {
    if (this.#text === undefined) {
      this.#log.say("response.reasoning_summary_part.added", `${this.#at},"part":${summaryOnWire("")}`);
      this.#text = "";
    }
    this.#text += text;
    this.#log.say("response.reasoning_summary_text.delta", `${this.#at},"delta":${json(text)}`);
  }

  /** Keeps an opaque part for the item's end. Signed text ends its part of the summary. */
  keep(part: PayloadPart): void {
    this.#kept.push(part);
    if (part.text !== undefined) this.#closePart();
  }

  /** Sets the item's own opaque content, as OpenAI wrote it. */
  keepNative(data: string): void {
    this.#native = data;
  }

  close(): string {
    this.#closePart();
    const ours = this.#kept.length === 0 ? undefined : responsesPayloads.write(this.#kept, this.#seal);
    return done(this.#log, this.#position, this.#onWire(this.#native ?? ours));
  }

  get #at(): string {
    return `${positionOf(this.#position)},"summary_index":${this.#summary.length}`;
  }

  #onWire(encrypted: string | undefined): string {
    const content = encrypted === undefined ? "" : `"encrypted_content":${json(encrypted)},`;
    return `{"id":${json(this.#position.id)},"type":"reasoning",${content}"summary":[${this.#summary}]}`;
  }

  #closePart(): void {
    const text = this.#text;
    if (text === undefined) return;
    this.#log.say("response.reasoning_summary_text.done", `${this.#at},"text":${json(text)}`);
    this.#log.say("response.reasoning_summary_part.done", `${this.#at},"part":${summaryOnWire(text)}`);
    this.#summary.push(summaryOnWire(text));
    this.#text = undefined;
  }
}

/** A call's id, and the tool under the caller's name. */
export interface NamedCall extends OwnName {
  readonly callId: string;
}

const nameMembers = ({ callId, name, namespace }: NamedCall): string =>
  `"call_id":${json(callId)},"name":${json(name)}${namespace === undefined ? "" : `,"namespace":${json(namespace)}`}`;

export class OpenCall {
  readonly #log: EventLog;
  readonly #position: ItemPosition;
  readonly #named: NamedCall;
  #arguments = "";

  constructor(log: EventLog, position: ItemPosition, named: NamedCall) {
    this.#log = log;
    this.#position = position;
    this.#named = named;
    added(log, position, this.#onWire("in_progress"));
  }

  add(fragment: string): void {
    this.#arguments += fragment;
    this.#log.say(
      "response.function_call_arguments.delta",
      `${positionOf(this.#position)},"delta":${json(fragment)}`,
    );
  }

  /** True when its arguments are a complete JSON object, so nothing can follow. */
  get isWhole(): boolean {
    return wholeObject(this.#arguments) !== undefined;
  }

  close(status: ItemStatus): string {
    // Clients parse arguments, so missing ones become an empty object.
    if (this.#arguments === "" && status === "completed") this.add("{}");
    this.#log.say(
      "response.function_call_arguments.done",
      `${positionOf(this.#position)},"name":${json(this.#named.name)},"arguments":${json(this.#arguments)}`,
    );
    return done(this.#log, this.#position, this.#onWire(status));
  }

  #onWire(status: string): string {
    const { id } = this.#position;
    return `{"id":${json(id)},"type":"function_call","status":"${status}","arguments":${json(this.#arguments)},${nameMembers(this.#named)}}`;
  }
}

/**
 * A call of a tool that became a function, which is one of OpenAI's own types to the caller. Its item is
 * written at its end: clients act on its members as soon as they see it.
 */
export class HeldCall {
  readonly #named: NamedCall;
  readonly #tool: CallerTool;
  #arguments = "";

  constructor(named: NamedCall, tool: CallerTool) {
    this.#named = named;
    this.#tool = tool;
  }

  get idPrefix(): string {
    return this.#tool.idPrefix;
  }

  add(fragment: string): void {
    this.#arguments += fragment;
  }

  get isWhole(): boolean {
    return wholeObject(this.#arguments) !== undefined;
  }

  /** Writes the item; arguments that do not fit the tool are those of a function of its name. */
  close(log: EventLog, position: ItemPosition, status: ItemStatus): string {
    const args = wholeObject(this.#arguments);
    const members = args === undefined ? undefined : this.#tool.membersOf(args);
    if (members === undefined) {
      const call = new OpenCall(log, position, this.#named);
      if (this.#arguments !== "") call.add(this.#arguments);
      return call.close(status);
    }
    const head = { id: position.id, type: callTypeOf(this.#tool), call_id: this.#named.callId };
    const item = (now: string): string => json({ ...head, status: now, ...members });
    added(log, position, item("in_progress"));
    return done(log, position, item("completed"));
  }
}

/** The object that the arguments are, when nothing can follow it. */
function wholeObject(text: string): JsonRecord | undefined {
  if (!/\}\s*$/.test(text.slice(-16))) return undefined;
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Writes a complete call of a custom tool. */
export function sayCustomCall(
  log: EventLog,
  position: ItemPosition,
  named: NamedCall,
  input: string,
): string {
  const item = (status: string, text: string): string =>
    `{"id":${json(position.id)},"type":"custom_tool_call","status":"${status}",${nameMembers(named)},"input":${json(text)}}`;
  const at = positionOf(position);
  added(log, position, item("in_progress", ""));
  if (input !== "") log.say("response.custom_tool_call_input.delta", `${at},"delta":${json(input)}`);
  log.say("response.custom_tool_call_input.done", `${at},"input":${json(input)}`);
  return done(log, position, item("completed", input));
}

/** Writes a complete image. */
export function sayImage(log: EventLog, position: ItemPosition, base64: string): string {
  const item = (status: string, result: string | null): string =>
    json({ id: position.id, type: "image_generation_call", status, result });
  added(log, position, item("in_progress", null));
  log.say("response.image_generation_call.completed", positionOf(position));
  return done(log, position, item("completed", base64));
}

/** The call's id and name for this format. */
export const namedCall = ({ id }: CallHead, own: OwnName): NamedCall => ({ callId: id, ...own });

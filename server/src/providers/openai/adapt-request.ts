/**
 * Adapts a caller's body for services that deviate from OpenAI's protocol. Single members are renamed,
 * replaced or cut from the bytes; the others stay as written. A body that contains no deviating key is
 * searched but not parsed. Names no service.
 */
import { cutsOf, type MemberSpan, membersOf } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { isRecord, parseJson, recordOf } from "../../lib/record.ts";
import { isNothing, Leftovers } from "../../protocols/leftovers.ts";
import type { FieldSpans, ProviderRequest, Span } from "../../protocols/protocol.ts";
import { messageEdits } from "./adapt-messages.ts";
import type { ParamRule, Replacement, RequestRules } from "./rules.ts";

/** Byte strings to search for; without any of them no rule applies. */
export interface CompiledRules {
  readonly rules: RequestRules;
  readonly needles: readonly Buffer[];
  /** The rules of models that differ from their service's others. */
  readonly models: readonly { readonly pattern: RegExp; readonly compiled: CompiledRules }[];
}

/** The rules for a model. `model`: its name at the service. */
export function rulesFor(compiled: CompiledRules, model: string): CompiledRules {
  if (compiled.models.length === 0) return compiled;
  const name = model.toLowerCase();
  return compiled.models.find(({ pattern }) => pattern.test(name))?.compiled ?? compiled;
}

export function compileRules({ models = [], ...rules }: RequestRules): CompiledRules {
  const names = [
    ...Object.keys(rules.params ?? {}),
    ...Object.keys(rules.roles ?? {}),
    ...Object.keys(rules.fields ?? {}),
    ...(rules.replays === undefined ? [] : ["assistant"]),
    ...(rules.toolIdLength === undefined ? [] : ["tool_call_id", "tool_calls"]),
  ];
  return {
    rules,
    needles: [...new Set(names)].map((name) => Buffer.from(JSON.stringify(name))),
    models: models.map(({ pattern, params }) => ({
      pattern,
      compiled: compileRules({ ...rules, params: { ...rules.params, ...params } }),
    })),
  };
}

/** The adapted request: its edits, and the request for which the standard edits are made. */
export interface Adapted {
  readonly edits: readonly Edit[];
  /** The request without the spans that were cut. */
  readonly request: ProviderRequest;
  readonly dropped: readonly string[] | undefined;
}

const memberText = ({ name, value }: Replacement): string =>
  `${JSON.stringify(name)}:${JSON.stringify(value)}`;

const anyObject = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };

/** Collects the edits of top-level members. */
class Members {
  readonly edits: Edit[] = [];
  readonly leftovers: Leftovers;
  readonly #body: Buffer;
  readonly #members: readonly MemberSpan[];
  readonly #cut = new Set<string>();

  constructor(body: Buffer, members: readonly MemberSpan[], mayDrop: boolean) {
    this.#body = body;
    this.#members = members;
    this.leftovers = new Leftovers(mayDrop);
  }

  has = (name: string): boolean => this.#members.some((member) => member.name === name);
  isCut = (name: string): boolean => this.#cut.has(name);
  cut = (name: string): void => void this.#cut.add(name);

  /** Reports the member as dropped, whether or not the caller allowed it. */
  record(name: string): void {
    this.leftovers.note(name);
    this.cut(name);
  }

  valueOf({ start, end }: MemberSpan): unknown {
    return parseJson(this.#body.toString("utf8", start, end));
  }

  rename({ nameStart, nameEnd }: MemberSpan, to: string): void {
    this.edits.push({ start: nameStart, end: nameEnd, text: JSON.stringify(to) });
  }

  change({ start, end }: MemberSpan, value: unknown): void {
    this.edits.push({ start, end, text: JSON.stringify(value) });
  }

  /** Replaces the member, unless the caller also sent the service's own member; that one is used then. */
  replace(member: MemberSpan, by: Replacement): void {
    if (this.has(by.name)) this.cut(member.name);
    else this.edits.push({ start: member.nameStart, end: member.end, text: memberText(by) });
  }

  /** Edits that remove the members marked for cutting. */
  cuts(): Edit[] {
    return cutsOf(this.#members, ({ name }) => this.#cut.has(name)).map((span) => ({ ...span, text: "" }));
  }
}

/**
 * True when the value asks for nothing. `neutral` lists such values for parameters where 0, false or empty
 * mean something.
 */
const asksForNothing = (value: unknown, neutral: readonly unknown[] | undefined): boolean =>
  neutral === undefined ? isNothing(value) : isOneOf(value, neutral);

const isOneOf = (value: unknown, list: readonly unknown[]): boolean => {
  const text = JSON.stringify(value);
  return list.some((one) => JSON.stringify(one) === text);
};

function applyFormat(members: Members, member: MemberSpan, value: unknown, lacks: string): void {
  if (recordOf(value)["type"] !== lacks) return;
  if (lacks === "json_object") {
    members.change(member, anyObject);
    return;
  }
  members.leftovers.leaveOut("response_format");
  members.change(member, { type: "json_object" });
}

/** Translates the value to the service's words where they differ. */
function applyWords(
  members: Members,
  member: MemberSpan,
  value: unknown,
  words: Readonly<Record<string, string | Replacement | null>>,
): void {
  const word = typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined;
  if (word === null) members.record(member.name);
  else if (typeof word === "string") members.change(member, word);
  else if (isRecord(word)) members.replace(member, word as Replacement);
}

function applyRange(
  members: Members,
  member: MemberSpan,
  value: unknown,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY },
): void {
  if (typeof value !== "number") return;
  const kept = Math.min(Math.max(value, min), max);
  if (kept !== value) members.change(member, kept);
}

/** Applies one rule. Null asks for nothing and is dropped wherever a rule applies. */
function applyRule(members: Members, member: MemberSpan, rule: ParamRule): void {
  const value = members.valueOf(member);
  if (value === null) {
    members.cut(member.name);
    return;
  }
  switch (rule.kind) {
    case "dropped":
      if (isOneOf(value, rule.keeps ?? [])) return;
      if (asksForNothing(value, rule.neutral)) members.cut(member.name);
      else members.record(member.name);
      return;
    case "unknown":
      if (!asksForNothing(value, rule.neutral)) members.leftovers.leaveOut(member.name.slice(0, 100));
      members.cut(member.name);
      return;
    case "renamed":
      members.rename(member, rule.to);
      if (members.has(rule.to)) members.cut(rule.to);
      return;
    case "words":
      applyWords(members, member, value, rule.words);
      return;
    case "range":
      applyRange(members, member, value, rule);
      return;
    case "format":
      applyFormat(members, member, value, rule.lacks);
      return;
  }
}

/**
 * Most output tokens to request: what is paid for, and at most the model's own limit if the service refuses
 * more.
 */
function outputMaxOf(request: ProviderRequest, rules: RequestRules): number | undefined {
  const { body, spans, outputCap, outputTokensMax } = request;
  if (rules.refusesTooMuchOutput !== true || outputCap === undefined) return outputTokensMax;
  if (outputTokensMax !== undefined) return Math.min(outputTokensMax, outputCap);
  const asked = [spans.max_completion_tokens, spans.max_tokens].flatMap((span) =>
    span === undefined ? [] : [parseJson(body.toString("utf8", span.start, span.end))],
  );
  return asked.some((value) => typeof value === "number" && value > outputCap) ? outputCap : undefined;
}

/** Fields whose spans the standard edits use. */
const spanned = ["models", "stream_options", "max_tokens", "max_completion_tokens"] as const;

/** Throws `Untranslatable` for what the service does not support, unless the caller allowed dropping it. */
export function adaptRequest(request: ProviderRequest, { rules, needles }: CompiledRules): Adapted {
  const { body, spans } = request;
  const isUnasked = rules.sendsUsageUnasked === true;
  // Treating the request as not streamed keeps the standard edits from asking for usage.
  const isStream = request.isStream && !isUnasked;
  const asked: ProviderRequest = { ...request, isStream, outputTokensMax: outputMaxOf(request, rules) };
  const isTouched = isUnasked && spans.stream_options !== undefined;
  if (!isTouched && !needles.some((needle) => body.includes(needle))) {
    return { edits: [], request: asked, dropped: undefined };
  }
  const list = membersOf(body, 0);
  const members = new Members(body, list, request.dropsParams === true);
  if (isUnasked) members.cut("stream_options");
  members.cut("models");
  for (const member of list) {
    const rule =
      rules.params !== undefined && Object.hasOwn(rules.params, member.name)
        ? rules.params[member.name]
        : undefined;
    if (member.name === "messages") {
      members.edits.push(
        ...messageEdits(body, member, rules, { leftovers: members.leftovers, memory: request.memory }),
      );
    }
    if (rule !== undefined && !members.isCut(member.name)) applyRule(members, member, rule);
  }
  const left: { -readonly [Name in keyof FieldSpans]: FieldSpans[Name] } = { ...spans };
  for (const name of spanned) if (members.isCut(name)) delete left[name];
  const cuts = members.cuts();
  const isCut = ({ start }: Span): boolean => cuts.some((cut) => start >= cut.start && start < cut.end);
  if (left.outputs !== undefined) left.outputs = left.outputs.filter((span) => !isCut(span));
  const edits = members.edits.filter((edit) => !isCut(edit));
  return {
    edits: [...edits, ...cuts],
    request: { ...asked, spans: left },
    dropped: members.leftovers.dropped,
  };
}

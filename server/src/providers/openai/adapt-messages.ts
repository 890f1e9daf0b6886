/**
 * Edits single fields of a body's messages for services that deviate from OpenAI's protocol. Names no
 * service.
 */
import { cutsOf, itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../lib/json/spans.ts";
import type { Edit } from "../../lib/json/splice.ts";
import { parseJson } from "../../lib/record.ts";
import type { Leftovers } from "../../protocols/leftovers.ts";
import type { ReplayMemory } from "../../protocols/protocol.ts";
import type { FieldRule, Replay, RequestRules } from "./rules.ts";

/** Values shared by all edits of one body. */
interface Surroundings {
  readonly leftovers: Leftovers;
  readonly memory: ReplayMemory | undefined;
}

const textOf = (body: Buffer, { start, end }: ValueSpan): unknown =>
  parseJson(body.toString("utf8", start, end));

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * An id of exactly `length` letters and digits, always the same for the same id. An id that already has this
 * form is kept.
 */
export function shortId(id: string, length: number): string {
  if (id.length === length && /^[A-Za-z0-9]*$/.test(id)) return id;
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < id.length; at += 1) {
    a = Math.imul(a ^ id.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ id.charCodeAt(at), 0x85ebca6b) ^ (b >>> 13);
  }
  let made = "";
  for (let at = 0; at < length; at += 1) {
    a = Math.imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ b;
    b = Math.imul(b ^ (b >>> 12), 0x297a2d39) ^ (a >>> 5);
    made += digits[(a >>> 0) % digits.length];
  }
  return made;
}

function idEdit(body: Buffer, member: ValueSpan, length: number): Edit[] {
  const id = textOf(body, member);
  if (typeof id !== "string") return [];
  const short = shortId(id, length);
  return short === id ? [] : [{ start: member.start, end: member.end, text: JSON.stringify(short) }];
}

/** Edits the ids of calls a message makes or answers. */
function idEdits(body: Buffer, member: MemberSpan, length: number): Edit[] {
  if (member.name === "tool_call_id") return idEdit(body, member, length);
  if (member.name !== "tool_calls") return [];
  return itemsOf(body, member.start).flatMap((call) =>
    membersOf(body, call.start)
      .filter(({ name }) => name === "id")
      .flatMap((id) => idEdit(body, id, length)),
  );
}

interface Message {
  readonly body: Buffer;
  readonly members: readonly MemberSpan[];
  readonly role: unknown;
  readonly path: string;
}

/** Renames the field, or returns "cut" when it must be removed. */
function fieldEdit(
  { body, members, role, path }: Message,
  member: MemberSpan,
  rule: FieldRule,
  leftovers: Leftovers,
): Edit | "cut" {
  if (rule.kind === "renamed") {
    // If both names are present, the service's own one is used.
    if (members.some(({ name }) => name === rule.to)) return "cut";
    return { start: member.nameStart, end: member.nameEnd, text: JSON.stringify(rule.to) };
  }
  if (rule.kind === "ignored" || role === "tool" || role === "function") return "cut";
  if (textOf(body, member) !== null) leftovers.leaveOut(`${path}.${member.name}`);
  return "cut";
}

/** The thoughts remembered for the first call this message makes; undefined if there are none. */
function recalled({ body, members }: Message, memory: ReplayMemory | undefined): string | undefined {
  const calls = members.find(({ name }) => name === "tool_calls");
  const [first] = calls === undefined || memory === undefined ? [] : itemsOf(body, calls.start);
  const id = membersOf(body, first?.start ?? body.length).find(({ name }) => name === "id");
  const given = id === undefined ? undefined : textOf(body, id);
  const kept = typeof given === "string" ? parseJson(memory?.recall(given) ?? "") : undefined;
  return typeof kept === "string" ? kept : undefined;
}

function replayEdits(
  message: Message,
  { field, isNeeded }: Replay,
  memory: ReplayMemory | undefined,
): Edit[] {
  const { body, members, role } = message;
  const [first] = members;
  const given = members.find(({ name }) => name === field);
  const isThere = given !== undefined && textOf(body, given) !== null;
  if (role !== "assistant" || first === undefined || isThere) return [];
  const value = recalled(message, memory) ?? (isNeeded ? "" : undefined);
  if (value === undefined) return [];
  const text = JSON.stringify(value);
  if (given !== undefined) return [{ start: given.start, end: given.end, text }];
  return [{ start: first.nameStart, end: first.nameStart, text: `${JSON.stringify(field)}:${text},` }];
}

function editsOfMessage(message: Message, rules: RequestRules, { leftovers, memory }: Surroundings): Edit[] {
  const { body, members, role } = message;
  const edits: Edit[] = [];
  const cut = new Set<MemberSpan>();
  for (const member of members) {
    const rule =
      rules.fields !== undefined && Object.hasOwn(rules.fields, member.name)
        ? rules.fields[member.name]
        : undefined;
    if (rule !== undefined) {
      const edit = fieldEdit(message, member, rule, leftovers);
      if (edit === "cut") cut.add(member);
      else edits.push(edit);
    } else if (member.name === "role" && typeof role === "string") {
      const word = Object.hasOwn(rules.roles ?? {}, role) ? rules.roles?.[role] : undefined;
      if (word !== undefined)
        edits.push({ start: member.start, end: member.end, text: JSON.stringify(word) });
    } else if (rules.toolIdLength !== undefined) {
      edits.push(...idEdits(body, member, rules.toolIdLength));
    }
  }
  if (rules.replays !== undefined) edits.push(...replayEdits(message, rules.replays, memory));
  const cuts = cutsOf(members, (member) => cut.has(member)).map((span) => ({ ...span, text: "" }));
  return [...edits, ...cuts];
}

/** The edits of all messages, in no particular order. `messages`: the span of the list. */
export function messageEdits(
  body: Buffer,
  messages: ValueSpan,
  rules: RequestRules,
  surroundings: Surroundings,
): Edit[] {
  const { roles, fields, replays, toolIdLength } = rules;
  if ((roles ?? fields ?? replays ?? toolIdLength) === undefined) return [];
  return itemsOf(body, messages.start).flatMap(({ start }, index) => {
    const members = membersOf(body, start);
    const given = members.find(({ name }) => name === "role");
    const role = given === undefined ? undefined : textOf(body, given);
    return editsOfMessage({ body, members, role, path: `messages[${index}]` }, rules, surroundings);
  });
}

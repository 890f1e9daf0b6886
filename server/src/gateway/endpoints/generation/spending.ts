/**
 * Finds what decides the cost of a request: output limits under all their names, the number of answers, and
 * features billed apart from tokens. Reads the top level and the nested objects that some upstreams read too.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { foldCase } from "../../../lib/json/scan-names.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import {
  frequentText,
  itemsOf,
  type MemberSpan,
  membersOf,
  type ValueSpan,
} from "../../../lib/json/spans.ts";
import { parseJson } from "../../../lib/record.ts";
import { chargedApart, isOwnTool, modelNames } from "../../../providers/charged-apart.ts";
import { allOutputNames, containerNames } from "../../../providers/output-names.ts";
import { thinkingSwitches } from "../../../providers/thinking-apart.ts";
import { misspelt } from "../../request/body/body-scan.ts";
import { invalid } from "../shared-fields.ts";

/** A number in the request. `path`: its name, with those of the objects around it. */
export interface AskedNumber extends ValueSpan {
  readonly path: string;
  /** At least 1. Infinity when an upstream may read it as "no limit": 0, negative, or absurdly large. */
  readonly value: number;
}

/** The fields that decide the cost. Nulls count as absent. */
export interface Spending {
  /** Output limits of one choice, in tokens. */
  readonly tokens: readonly AskedNumber[];
  readonly choices: readonly AskedNumber[];
  /** Limits of thinking that come on top of the output limits. */
  readonly thinking: readonly AskedNumber[];
  /** True when the request turns thinking off. */
  readonly isThinkingOff: boolean;
  /** Paths of features billed apart from tokens. */
  readonly apart: readonly string[];
}

type Role = "tokens" | "choices" | "thinking" | "apart" | "tools" | "container" | "switch";

const rolesOf = (names: readonly string[], role: Role): [string, Role][] => names.map((name) => [name, role]);

const roles: ReadonlyMap<string, Role> = new Map([
  ...rolesOf(allOutputNames.tokens, "tokens"),
  ...rolesOf(allOutputNames.choices, "choices"),
  ...rolesOf(allOutputNames.thinking, "thinking"),
  ...rolesOf(Object.keys(chargedApart), "apart"),
  ...rolesOf(["tools"], "tools"),
  ...rolesOf(containerNames, "container"),
  ...rolesOf(Object.keys(thinkingSwitches), "switch"),
]);

/** Inside an object Plaza does not read these names, but an upstream may. */
const innerRoles: ReadonlyMap<string, Role> = new Map([...roles, ...rolesOf(modelNames, "apart")]);
const byFolded: ReadonlyMap<string, string> = new Map(
  [...innerRoles.keys()].map((name) => [foldCase(name), name]),
);

/** Names for the body scanner to find. */
export const spendingNames: readonly string[] = [...roles.keys()];

/** Larger values mean "no limit". */
const countMax = 1_000_000_000;
/** The same as OpenAI's limit for `n`. */
const choicesMax = 128;
/** Largest nested object that is read, in bytes, and the deepest nesting. */
const nestedBytesMax = 256 * 1024;
const nestedMax = 4;
/** A switch that means "off" is never longer than this. */
const switchBytesMax = 64;

interface Found {
  readonly tokens: AskedNumber[];
  readonly choices: AskedNumber[];
  readonly thinking: AskedNumber[];
  isThinkingOff: boolean;
  readonly apart: string[];
}

const empty = (): Found => ({ tokens: [], choices: [], thinking: [], isThinkingOff: false, apart: [] });
const nothing: Spending = empty();

/**
 * Reads the scan of a complete body. `readsTools`: false where the endpoint judges the list of tools itself.
 * Throws `invalid_request` naming the field.
 */
export function readSpending(scan: JsonScan, body: Buffer, readsTools = true): Spending {
  let found: Found | undefined;
  const { fields } = scan;
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] as JsonField;
    const role = roles.get(field.name);
    if (role === undefined || field.kind === "null" || (role === "tools" && !readsTools)) continue;
    found ??= empty();
    take(found, body, { role, path: field.name, start: field.start, end: field.end }, 0);
  }
  return found ?? nothing;
}

interface Spot extends ValueSpan {
  readonly role: Role;
  readonly path: string;
}

function take(found: Found, body: Buffer, spot: Spot, depth: number): void {
  switch (spot.role) {
    case "container":
      takeMembers(found, body, spot, depth + 1);
      return;
    case "tools":
      takeTools(found, body, spot);
      return;
    case "switch":
      // Only at the top level do all upstreams read these switches the same way.
      if (depth === 0 && switchesOff(body, spot)) found.isThinkingOff = true;
      return;
    case "apart": {
      if (!isHarmless(body, spot)) found.apart.push(spot.path);
      return;
    }
    default:
      found[spot.role].push(readNumber(body, spot));
  }
}

function switchesOff(body: Buffer, { path, start, end }: Spot): boolean {
  if (end - start > switchBytesMax) return false;
  return body.toString("latin1", start, end).replace(/\s/g, "") === thinkingSwitches[path];
}

/** True when the value asks for nothing that is charged apart. `path` ends with the value's name. */
export function isHarmless(
  body: Buffer,
  { path, start, end }: ValueSpan & { readonly path: string },
): boolean {
  const rule = chargedApart[path.slice(path.lastIndexOf(".") + 1)];
  if (end - start > nestedBytesMax) return false;
  const value = parseJson(body.toString("utf8", start, end));
  return rule === undefined ? value === null : rule(value);
}

function readNumber(body: Buffer, { path, role, start, end }: Spot): AskedNumber {
  const first = body[start] as number;
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  if (!isNumber) throw invalid(message("body.notNumber", { path }), path);
  const given = Number(body.toString("latin1", start, end));
  if (role === "choices") {
    if (given > choicesMax) throw invalid(message("body.tooLargeNumber", { path, max: choicesMax }), path);
    return { path, start, end, value: Math.max(1, Math.ceil(given)) };
  }
  const isBound = given > 0 && given <= countMax;
  return { path, start, end, value: isBound ? Math.ceil(given) : Number.POSITIVE_INFINITY };
}

function takeMembers(found: Found, body: Buffer, { path, start, end }: Spot, depth: number): void {
  if (body[start] !== 0x7b) return;
  for (const member of readMembers(body, { path, start, end }, byFolded)) {
    const role = innerRoles.get(member.name);
    const inner = `${path}.${member.name}`;
    if (role === undefined || body[member.start] === 0x6e) continue;
    if (depth > nestedMax) throw invalid(message("body.fieldTooDeep", { name: inner }), inner);
    take(found, body, { role, path: inner, start: member.start, end: member.end }, depth);
  }
}

/** The schema of a tool in the Messages format, which Cursor sends in OpenAI's too. */
const messagesSchema = "input_schema";

function takeTools(found: Found, body: Buffer, { path, start }: Spot): void {
  for (const [index, item] of itemsOf(body, start).entries()) {
    const at = `${path}[${index}]`;
    const tool = readTool(body, item);
    if (tool === undefined || !isOwnTool(tool.names, tool.type)) {
      found.apart.push(at);
    } else if (tool.names.includes(messagesSchema) && !tool.names.includes("function")) {
      const param = `${at}.${messagesSchema}`;
      throw invalid(message("call.toolOfMessages", { param }), param);
    }
  }
}

/** Judges a tool by the names of its members and the value of its `type`; undefined: it has none. */
type IsOwnTool = (names: readonly string[], type: unknown) => boolean;

/** Indices of the tools, of the list that begins at `start`, that are not the caller's own by `isOwnOne`. */
export function hostedTools(body: Buffer, start: number, isOwnOne: IsOwnTool): number[] {
  return itemsOf(body, start).flatMap((item, index) => (isOwn(body, item, isOwnOne) ? [] : [index]));
}

/** True for a tool, at `item`, that is the caller's own by `isOwnOne`. */
export function isOwn(body: Buffer, item: ValueSpan, isOwnOne: IsOwnTool): boolean {
  const tool = readTool(body, item);
  return tool !== undefined && isOwnOne(tool.names, tool.type);
}

/** The names of a tool's members and its `type`. Undefined: it has two types, or a longer one than any is. */
export function readTool(
  body: Buffer,
  item: ValueSpan,
): { readonly names: readonly string[]; readonly type: unknown } | undefined {
  const members = membersOf(body, item.start);
  const types = members.filter(({ name }) => name === "type");
  if (types.length > 1) return undefined;
  const [type] = types;
  const names = members.map(({ name }) => name);
  if (type === undefined) return { names, type };
  if (type.end - type.start > 256) return undefined;
  const text = frequentText(body, type.start + 1, type.end - 1);
  const isText = text !== undefined && body[type.start] === 0x22;
  return { names, type: isText ? text : parseJson(body.toString("utf8", type.start, type.end)) };
}

/**
 * Returns the members of a small object whose case-folded names are in `names`. Throws when the object is too
 * large, or a name occurs twice or has another spelling.
 */
export function readMembers(
  body: Buffer,
  { path, start, end }: ValueSpan & { readonly path: string },
  names: ReadonlyMap<string, string>,
): readonly MemberSpan[] {
  if (end - start > nestedBytesMax)
    throw invalid(message("body.fieldTooLong", { path, max: nestedBytesMax }), path);
  const found: MemberSpan[] = [];
  for (const member of membersOf(body, start)) {
    const name = names.get(foldCase(member.name));
    if (name === undefined) continue;
    const inner = `${path}.${name}`;
    if (member.name !== name || member.nameEnd - member.nameStart !== name.length + 2) throw misspelt(inner);
    if (found.some((one) => one.name === name)) {
      throw invalid(message("body.fieldTwice", { name: inner }), inner);
    }
    found.push(member);
  }
  return found;
}

/**
 * Ids in a Responses request of things that lie at an upstream: files, containers, vector stores, skills,
 * tunnels and requests for approval. One credential serves many accounts, so that an id goes on only where
 * this account got it in an answer that is stored. Ids of items and of the caller's own calls are none of
 * these.
 */
import { itemsOf, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { isOwnTool } from "../../../providers/charged-apart.ts";
import { readTool } from "../generation/spending.ts";
import { approvalName, approvalRequestsIn, approvedIn, textAt } from "./items.ts";

/** An id and where it stands, like `input[0].content[1].file_id`. */
export interface ForeignId {
  readonly id: string;
  readonly param: string;
}

/** Members whose text, or list of texts, is such an id. */
const idNames: ReadonlySet<string> = new Set([
  "file_id",
  "file_ids",
  "vector_store_ids",
  "container_id",
  "skill_id",
  "tunnel_id",
]);

/** A tool's container is an id where it is a text; an object in its place may hold ids. */
const containerName = "container";

/** For the body's scan to count. */
export const foreignNames: readonly string[] = [...idNames, containerName, approvalName];

/** Members that only repeat what an answer said: no upstream opens what they name. */
const repeatingNames: ReadonlySet<string> = new Set(["annotations", "results"]);

/** What holds these ids in OpenAI's own requests is never deeper. */
const depthMax = 7;

/** All ids below these places, each with its path. */
export function foreignIdsIn(body: Buffer, tools: ValueSpan | undefined, input: ValueSpan): ForeignId[] {
  const found: ForeignId[] = [];
  if (tools !== undefined) takeTools(found, body, tools, "tools", 0);
  const items = itemsOf(body, input.start);
  for (const [index, item] of items.entries()) take(found, body, item, `input[${index}]`, 1);
  takeApproved(found, body, items);
  return found;
}

/** Takes the requests for approval that the input answers and does not hold. */
function takeApproved(found: ForeignId[], body: Buffer, items: readonly ValueSpan[]): void {
  let held: ReadonlySet<string> | undefined;
  for (const [index, item] of items.entries()) {
    for (const id of approvedIn(body, item)) {
      held ??= approvalRequestsIn(body, items);
      if (!held.has(id)) found.push({ id, param: `input[${index}].${approvalName}` });
    }
  }
}

function takeTools(found: ForeignId[], body: Buffer, tools: ValueSpan, path: string, depth: number): void {
  for (const [index, item] of itemsOf(body, tools.start).entries()) {
    const tool = readTool(body, item);
    // A function's schema may name its own parameters so.
    if (tool !== undefined && isOwnTool(tool.names, tool.type)) continue;
    take(found, body, item, `${path}[${index}]`, depth + 1);
  }
}

/** Takes the ids in an object, or in the objects of a list. */
function take(found: ForeignId[], body: Buffer, value: ValueSpan, path: string, depth: number): void {
  if (depth > depthMax) return;
  for (const [index, item] of itemsOf(body, value.start).entries())
    take(found, body, item, `${path}[${index}]`, depth + 1);
  for (const member of membersOf(body, value.start)) {
    const { name } = member;
    const inner = `${path}.${name}`;
    if (repeatingNames.has(name)) continue;
    if (name === "tools") takeTools(found, body, member, inner, depth);
    else if (idNames.has(name)) takeIds(found, body, member, inner);
    else if (name === containerName && body[member.start] === 0x22) takeIds(found, body, member, inner);
    else take(found, body, member, inner, depth + 1);
  }
}

function takeIds(found: ForeignId[], body: Buffer, value: ValueSpan, param: string): void {
  const list = itemsOf(body, value.start);
  for (const [index, span] of (list.length === 0 ? [value] : list).entries()) {
    // What is too long for an id, or no text, is no id of any answer: it is not found.
    const isNothing = body[span.start] === 0x6e || (body[span.start] === 0x5b && list.length === 0);
    if (isNothing) continue;
    found.push({ id: textAt(body, span) ?? "", param: list.length === 0 ? param : `${param}[${index}]` });
  }
}

/**
 * Files of a Messages request whose bytes are not in it: how many tokens those at an address may have, and
 * whether one is named that lies at an upstream. Looked for only where a name of theirs occurs.
 */
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { hasValue, itemsOf, type MemberSpan, membersOf, type ValueSpan } from "../../../lib/json/spans.ts";
import { addressedTokens } from "../../../protocols/anthropic-messages/endpoint/fields.ts";
import { refuseStoredFiles } from "./stored-files.ts";

/** Results of tools hold blocks, documents too; deeper there are none. */
const depthMax = 3;

/**
 * The most tokens of all files at an address. Throws `not_found` for a file that lies at an upstream: one
 * credential serves many accounts, and none of them stored a file through Plaza.
 */
export function readAddressedFiles(scan: JsonScan, body: Buffer, messages: JsonField): number {
  if (scan.counts.has("file_id")) refuseStoredFiles(body, messages);
  const mayHaveUrl = scan.counts.has("url") && (scan.hasEscapedLetter || hasValue(body, '"url"', messages));
  if (!mayHaveUrl) return 0;
  let tokens = 0;
  for (const item of itemsOf(body, messages.start))
    tokens += tokensIn(body, memberOf(body, item, "content"), 0);
  return tokens;
}

function tokensIn(body: Buffer, content: MemberSpan | undefined, depth: number): number {
  if (content === undefined || depth > depthMax) return 0;
  let tokens = 0;
  for (const block of itemsOf(body, content.start)) tokens += tokensOf(body, block, depth);
  return tokens;
}

function tokensOf(body: Buffer, block: ValueSpan, depth: number): number {
  const members = membersOf(body, block.start);
  const type = textOf(body, find(members, "type"));
  if (type === "tool_result") return tokensIn(body, find(members, "content"), depth + 1);
  if (type !== "image" && type !== "document") return 0;
  const source = find(members, "source");
  if (source === undefined) return 0;
  const inner = membersOf(body, source.start);
  switch (textOf(body, find(inner, "type"))) {
    case "url":
      return addressedTokens[type];
    case "content":
      return tokensIn(body, find(inner, "content"), depth + 1);
    default:
      return 0;
  }
}

const find = (members: readonly MemberSpan[], name: string): MemberSpan | undefined =>
  members.findLast((member) => member.name === name);

const memberOf = (body: Buffer, { start }: ValueSpan, name: string): MemberSpan | undefined =>
  find(membersOf(body, start), name);

/** A short text's value. */
function textOf(body: Buffer, member: MemberSpan | undefined): string | undefined {
  if (member === undefined || body[member.start] !== 0x22 || member.end - member.start > 256)
    return undefined;
  return JSON.parse(body.toString("utf8", member.start, member.end)) as string;
}

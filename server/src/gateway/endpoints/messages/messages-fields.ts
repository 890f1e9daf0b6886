/**
 * What the gateway reads of a Messages request, from the one scan of its bytes: which fields, of which type,
 * and where. Values that change routing or billing are checked here; everything else in the body is the
 * upstream's to judge.
 */
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../../lib/json/scan.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { itemsOf, membersOf } from "../../../lib/json/spans.ts";
import { parseJson, recordOf } from "../../../lib/record.ts";
import { betasIn, pricedAmong } from "../../../protocols/anthropic-messages/endpoint/betas.ts";
import {
  addressNames,
  definitionName,
  isFreeToolType,
  promptNames,
  scannedNames,
  threadParam,
  userMember,
} from "../../../protocols/anthropic-messages/endpoint/fields.ts";
import type { ForwardedHeaders, Span } from "../../../protocols/protocol.ts";
import { chargedApart, isOwnTool } from "../../../providers/charged-apart.ts";
import type { RequestFields } from "../endpoint.ts";
import { type HostedTools, sortHosted } from "../generation/offers.ts";
import type { PromptFields } from "../generation/prompt-tokens.ts";
import { promptBytesAmong } from "../generation/prompt-tokens.ts";
import { hostedTools, isHarmless, isOwn, type Spending } from "../generation/spending.ts";
import type { GenerationFields } from "../generation/worst-case.ts";
import { invalid, readModels, readStream, required, typed } from "../shared-fields.ts";
import { readAddressedFiles } from "./addressed-files.ts";
import { refuseContainers } from "./containers.ts";
import { hostedInline } from "./inline-tools.ts";

/** What is read of a Messages request. */
export interface MessagesFields extends RequestFields, GenerationFields, PromptFields {}

/** What the scan of a body looks for. */
export const scanned = {
  names: [...new Set([...scannedNames, ...Object.keys(chargedApart)])],
  counted: [...addressNames, definitionName],
} as const;

/** Headers of the caller's that go on to an upstream of this format. */
export const versionHeader = "anthropic-version";
export const betaHeader = "anthropic-beta";

/**
 * Reads the fields of a complete body. `isCount`: the request asks how many tokens it has, and so says
 * nothing of the answer. Throws `invalid_request` naming the field, or `not_found` for what upstreams keep.
 */
export function readMessages(
  scan: JsonScan,
  body: Buffer,
  headers: ForwardedHeaders = {},
  isCount = false,
): MessagesFields {
  const isStream = !isCount && readStream(scan);
  const messages = required(scan, "messages", "array", "messages");
  if (isEmptyArray(body, messages))
    throw invalid(message("call.messagesEmpty", { param: "messages" }), "messages");
  refuseHeld(scan, body);
  refuseContainers(scan, body);
  const bound = isCount ? undefined : readBound(scan, body);
  const model = readModels(scan, body);
  const hosted = readTools(scan, body);
  const spending: Spending = {
    tokens: bound === undefined ? [] : [bound],
    choices: [],
    thinking: [],
    isThinkingOff: false,
    apart: [
      ...apartIn(scan, body),
      ...hosted.demanded,
      ...hostedInline(scan, body, messages, (definition) => isOwn(body, definition, isCallersTool)),
      ...apartAmong(headers),
    ],
  };
  return {
    model: model.id,
    otherModels: model.others,
    isStream,
    showsUsage: true,
    apart: spending.apart,
    offers: hosted.offers,
    forwarded: headers,
    spans: {
      model: findField(scan, "model"),
      models: findField(scan, "models"),
      max_tokens: bound,
      user: userOf(scan, body),
      thread: findField(scan, "thread"),
      diagnostics: findField(scan, "diagnostics"),
      outputs: spending.tokens,
    },
    messages,
    promptBytes: promptBytesOf(scan, body),
    predictionTokens: 0,
    addressedTokens: readAddressedFiles(scan, body, messages),
    hasEscapedLetter: scan.hasEscapedLetter,
    spending,
  };
}

/**
 * Throws `not_found` for a call that continues a conversation which an upstream held: one credential serves
 * many accounts, what it costs is not in the body, and the next call may go elsewhere.
 */
function refuseHeld(scan: JsonScan, body: Buffer): void {
  const thread = typed(scan, "thread", ["object", "null"], "object");
  if (thread?.kind !== "object") return;
  if (membersOf(body, thread.start).some(({ name }) => name === "previous_message_id"))
    throw new GatewayError("not_found", { message: message("call.threadUnheld"), param: threadParam });
}

/** `max_tokens`, which every request has; 0 only warms the prompt cache. */
function readBound(scan: JsonScan, body: Buffer): Spending["tokens"][number] {
  const { start, end } = required(scan, "max_tokens", "number", "number");
  const value = Number(body.toString("latin1", start, end));
  if (!Number.isInteger(value) || value < 0) throw invalid(message("wire.maxTokensWhole"), "max_tokens");
  return { path: "max_tokens", start, end, value };
}

/** The fields that make the call cost more than its tokens. */
function apartIn(scan: JsonScan, body: Buffer): string[] {
  const apart: string[] = [];
  for (const { name, kind, start, end } of scan.fields) {
    if (kind === "null" || !Object.hasOwn(chargedApart, name)) continue;
    if (!isHarmless(body, { path: name, start, end })) apart.push(name);
  }
  return apart;
}

const noTools: HostedTools = { demanded: [], offers: undefined };

/** Largest choice of a tool that is read, in bytes; names have at most 128 letters. */
const choiceBytesMax = 4_096;

/** The tools that Anthropic would run. The choice of one of them by its name insists on it. */
function readTools(scan: JsonScan, body: Buffer): HostedTools {
  const tools = typed(scan, "tools", ["array", "null"], "array");
  if (tools?.kind !== "array") return noTools;
  const hosted = hostedTools(body, tools.start, isCallersTool);
  if (hosted.length === 0) return noTools;
  const items = itemsOf(body, tools.start);
  const choice = findField(scan, "tool_choice");
  const isLong = choice !== undefined && choice.end - choice.start > choiceBytesMax;
  const { type, name } = recordOf(
    choice === undefined || isLong ? undefined : parseJson(body.toString("utf8", choice.start, choice.end)),
  );
  const isNamed = (index: number): boolean => {
    const tool = items[index];
    return (
      tool !== undefined && recordOf(parseJson(body.toString("utf8", tool.start, tool.end)))["name"] === name
    );
  };
  return sortHosted(items, hosted, (index) => isLong || (type === "tool" && isNamed(index)));
}

const isCallersTool = (names: readonly string[], type: unknown): boolean =>
  isOwnTool(names, isFreeToolType(type) ? "custom" : type);

/** Betas whose price no field of the body decides. */
function apartAmong(headers: ForwardedHeaders): string[] {
  const given = headers[betaHeader];
  if (given === undefined) return [];
  const isCharged = pricedAmong(betasIn([given])).some(
    ({ by, field }) => by === "charge" && field === undefined,
  );
  return isCharged ? [betaHeader] : [];
}

/** The end user; Claude Code names its session there. */
function userOf(scan: JsonScan, body: Buffer): Span | undefined {
  const metadata = findField(scan, "metadata");
  if (metadata?.kind !== "object") return undefined;
  return membersOf(body, metadata.start).find(({ name }) => name === userMember);
}

function promptBytesOf(scan: JsonScan, body: Buffer): number {
  let bytes = 0;
  for (const name of promptNames) bytes += lengthOf(findField(scan, name));
  return bytes + promptBytesAmong(body.length - bytes - lengthOf(findField(scan, "metadata")));
}

const lengthOf = (field: JsonField | undefined): number =>
  field === undefined || field.kind === "null" ? 0 : field.end - field.start;

function isEmptyArray(body: Buffer, field: JsonField): boolean {
  for (let at = field.start + 1; at < field.end - 1; at += 1) {
    if ((body[at] ?? 0) > 0x20) return false;
  }
  return true;
}

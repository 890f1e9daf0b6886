/**
 * What the gateway reads of a Responses request, from the one scan of its bytes: which fields, of which type,
 * and where. Values that change routing or billing are checked here; everything else in the body is the
 * upstream's to judge.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../../lib/json/scan.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { itemsOf } from "../../../lib/json/spans.ts";
import type { CallTarget, RequestFields } from "../endpoint.ts";
import type { PromptFields } from "../generation/prompt-tokens.ts";
import { promptBytesAmong } from "../generation/prompt-tokens.ts";
import { readSpending, spendingNames } from "../generation/spending.ts";
import type { GenerationFields } from "../generation/worst-case.ts";
import { invalid, readModels, readStream, typed } from "../shared-fields.ts";
import { type ForeignId, foreignIdsIn, foreignNames } from "./foreign-ids.ts";
import { type HostedTools, readHosted } from "./hosted-tools.ts";
import { referenceIn } from "./items.ts";

/** What is read of a Responses request. */
export interface ResponsesFields extends RequestFields, GenerationFields, PromptFields {
  /** What it says of stored state. */
  readonly state: StateFields;
}

/** Where a request speaks of what was said before, or of what is to be kept. */
export interface StateFields {
  readonly previousResponse: JsonField | undefined;
  readonly conversation: JsonField | undefined;
  readonly prompt: JsonField | undefined;
  readonly isBackground: boolean;
  /** True when an item names another one by its id. */
  readonly hasReferences: boolean;
  /** Ids of things at an upstream. */
  readonly foreignIds: readonly ForeignId[];
  /** `store` as it was sent; undefined = not said, which means yes. */
  readonly store: boolean | undefined;
}

/** What surely is prompt, and what surely is none however long it is. */
const promptNames = ["input", "instructions", "tools", "text"] as const;
const settingNames = ["metadata", "client_metadata", "include"] as const;

/** Most tokens of one file that an item names by its address or id: its bytes are not in the request. */
const addressTokens: ReadonlyMap<string, number> = new Map([
  ["image_url", 1_600],
  ["file_url", 65_536],
  ["file_id", 65_536],
]);

/** What the scan of a body looks for. */
export const scanned = {
  names: [
    "model",
    "models",
    "stream",
    "prompt_cache_key",
    "user",
    "store",
    "background",
    "previous_response_id",
    "conversation",
    "prompt",
    "max_output_tokens",
    "tool_choice",
    ...promptNames,
    ...settingNames,
    ...spendingNames.filter((name) => name !== "tools" && name !== "max_output_tokens"),
  ],
  counted: [...new Set([...addressTokens.keys(), ...foreignNames, "id", "tools"])],
} as const;

/** Fields OpenAI takes for "not sent" when they are null. */
const present = (scan: JsonScan, name: string): JsonField | undefined => {
  const field = findField(scan, name);
  return field?.kind === "null" ? undefined : field;
};

/** Reads the fields of a complete body. Throws `invalid_request` naming the field. */
export function readResponses(scan: JsonScan, body: Buffer, target?: CallTarget): ResponsesFields {
  const isStream = readStream(scan);
  const input = inputOf(scan, body);
  typed(scan, "max_output_tokens", ["number", "null"], "number");
  const model = readModels(scan, body, target?.model);
  const spending = readSpending(scan, body, false);
  const { demanded, offers } = hostedIn(scan, body, input);
  return {
    model: model.id,
    otherModels: model.others,
    isStream,
    // Its last event says the usage to every caller.
    showsUsage: false,
    apart: [...spending.apart, ...demanded],
    offers,
    spans: {
      model: findField(scan, "model"),
      models: findField(scan, "models"),
      prompt_cache_key: findField(scan, "prompt_cache_key"),
      user: findField(scan, "user"),
      max_output_tokens: findField(scan, "max_output_tokens"),
      store: findField(scan, "store"),
      include: findField(scan, "include"),
      outputs: spending.tokens,
    },
    messages: input,
    promptBytes: promptBytesOf(scan, body),
    predictionTokens: 0,
    addressedTokens: addressedTokensOf(scan),
    hasEscapedLetter: scan.hasEscapedLetter,
    spending,
    state: stateOf(scan, body, input),
  };
}

/** A text or a list of items. A conversation or a stored prompt may stand for it: those are refused later. */
function inputOf(scan: JsonScan, body: Buffer): JsonField {
  const field = typed(scan, "input", ["string", "array", "null"], "input");
  if (field === undefined || field.kind === "null") throw invalid(message("responses.input"), "input");
  if (field.kind === "array" && itemsOf(body, field.start).length === 0)
    throw invalid(message("call.messagesEmpty", { param: "input" }), "input");
  return field;
}

/** The tools that an upstream would run, wherever the request names them. */
function hostedIn(scan: JsonScan, body: Buffer, input: JsonField): HostedTools {
  const tools = typed(scan, "tools", ["array", "null"], "array");
  return readHosted(body, {
    tools: tools?.kind === "array" ? tools : undefined,
    choice: present(scan, "tool_choice"),
    input,
    hasItemTools: scan.counts.has("tools") && input.kind === "array",
  });
}

function stateOf(scan: JsonScan, body: Buffer, input: JsonField): StateFields {
  return {
    previousResponse: present(scan, "previous_response_id"),
    conversation: present(scan, "conversation"),
    prompt: present(scan, "prompt"),
    isBackground: typed(scan, "background", ["true", "false", "null"], "boolean")?.kind === "true",
    hasReferences: input.kind === "array" && mayRefer(scan, body) && hasReferences(body, input),
    foreignIds: foreignNames.some((name) => scan.counts.has(name))
      ? foreignIdsIn(body, present(scan, "tools"), input)
      : [],
    store: storeOf(scan),
  };
}

function storeOf(scan: JsonScan): boolean | undefined {
  const field = typed(scan, "store", ["true", "false", "null"], "boolean");
  return field === undefined || field.kind === "null" ? undefined : field.kind === "true";
}

/** Without an id there may be a reference all the same, which then names nothing. */
const mayRefer = (scan: JsonScan, body: Buffer): boolean =>
  scan.counts.has("id") || body.includes('"item_reference"');

function hasReferences(body: Buffer, input: JsonField): boolean {
  return itemsOf(body, input.start).some((item) => referenceIn(body, item) !== undefined);
}

function addressedTokensOf({ counts }: JsonScan): number {
  let tokens = 0;
  for (const [name, count] of counts) tokens += count * (addressTokens.get(name) ?? 0);
  return tokens;
}

function promptBytesOf(scan: JsonScan, body: Buffer): number {
  let bytes = 0;
  let rest = body.length;
  for (const name of promptNames) {
    const field = present(scan, name);
    if (field !== undefined) bytes += field.end - field.start;
  }
  for (const name of settingNames) {
    const field = findField(scan, name);
    if (field !== undefined) rest -= field.end - field.start;
  }
  rest -= bytes;
  return bytes + promptBytesAmong(rest);
}

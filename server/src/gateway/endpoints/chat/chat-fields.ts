/**
 * Reads the fields of a chat request from the scan of its body. Only values that affect routing or billing
 * are checked; the upstream checks the rest.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { estimateInput } from "../../../domain/money/estimate.ts";
import { findField } from "../../../lib/json/scan.ts";
import type { JsonField, JsonScan } from "../../../lib/json/scan-shapes.ts";
import { membersOf } from "../../../lib/json/spans.ts";
import type { CallTarget, RequestFields } from "../endpoint.ts";
import { readStreamOptions } from "../generation/parameters.ts";
import type { PromptFields } from "../generation/prompt-tokens.ts";
import { promptBytesAmong } from "../generation/prompt-tokens.ts";
import { readSpending, spendingNames } from "../generation/spending.ts";
import type { GenerationFields } from "../generation/worst-case.ts";
import { invalid, readModels, readStream, required, typed } from "../shared-fields.ts";
import { type AudioFields, audioName } from "./audio-ids.ts";
import { refuseStoredFiles } from "./stored-files.ts";

const read = [
  "model",
  "models",
  "messages",
  "stream",
  "stream_options",
  "prompt_cache_key",
  "user",
  "functions",
  "response_format",
  "prediction",
  "logit_bias",
  "metadata",
] as const;
type Wanted = (typeof read)[number] | "max_tokens" | "max_completion_tokens" | "n" | "tools";

/** What is read of a chat request. */
export interface ChatFields extends RequestFields, AudioFields, GenerationFields, PromptFields {}

/** Reads the fields of a complete body. Throws `invalid_request` naming the field. */
export function readChatFields(scan: JsonScan, body: Buffer, target?: CallTarget): ChatFields {
  const isStream = readStream(scan);
  refuseInput(scan, body);
  const messages = required(scan, "messages", "array", "messages");
  if (isEmptyArray(body, messages))
    throw invalid(message("call.messagesEmpty", { param: "messages" }), "messages");
  refuseStoredFiles(scan, body, messages);
  typed(scan, "max_tokens", ["number", "null"], "number");
  typed(scan, "max_completion_tokens", ["number", "null"], "number");
  typed(scan, "n", ["number", "null"], "number");
  const options = readStreamOptions(scan, body, isStream);
  const model = readModels(scan, body, target?.model);
  const spending = readSpending(scan, body);
  return {
    model: model.id,
    otherModels: model.others,
    isStream,
    showsUsage: options.showsUsage,
    apart: spending.apart,
    spans: {
      model: findField(scan, "model"),
      models: findField(scan, "models"),
      stream_options: options.span,
      max_tokens: findField(scan, "max_tokens"),
      max_completion_tokens: findField(scan, "max_completion_tokens"),
      prompt_cache_key: findField(scan, "prompt_cache_key"),
      user: findField(scan, "user"),
      outputs: spending.tokens,
    },
    messages,
    promptBytes: promptBytesOf(scan, body),
    predictionTokens: predictionTokensOf(findField(scan, "prediction")),
    addressedTokens: addressedTokensOf(scan),
    hasEscapedLetter: scan.hasEscapedLetter,
    spending,
    hasAudio: scan.counts.has(audioName) || findField(scan, audioName) !== undefined,
  };
}

/** Larger bodies are not looked through for why they are refused, in bytes. */
const explainedBytesMax = 1024 * 1024;

/** Cursor sends what belongs to the Responses format here. Throws for that, by its name. */
function refuseInput(scan: JsonScan, body: Buffer): void {
  if ((findField(scan, "messages")?.kind ?? "null") !== "null" || body.length > explainedBytesMax) return;
  if (membersOf(body, 0).some(({ name }) => name === "input"))
    throw invalid(message("call.inputForMessages"), "input");
}

/** Fields that are always prompt, and fields that never are, however long. */
const promptNames: readonly Wanted[] = ["messages", "tools", "functions", "response_format"];
const settingNames: readonly Wanted[] = ["logit_bias", "metadata"];

function promptBytesOf(scan: JsonScan, body: Buffer): number {
  let bytes = 0;
  let rest = body.length;
  for (const name of promptNames) {
    const field = findField(scan, name);
    if (field === undefined || field.kind === "null") continue;
    bytes += field.end - field.start;
  }
  for (const name of settingNames) {
    const field = findField(scan, name);
    if (field !== undefined) rest -= field.end - field.start;
  }
  rest -= bytes;
  return bytes + promptBytesAmong(rest);
}

/**
 * Maximum tokens of one file named by URL or id, by the field that names it. Its bytes are not in the
 * request, so its size is unknown.
 */
const addressTokens: ReadonlyMap<string, number> = new Map([
  ["image_url", 1_600],
  ...["video_url", "audio_url", "file_url", "file_uri", "fileuri", "file_id"].map(
    (name): [string, number] => [name, 65_536],
  ),
]);

/** Names for the body scanner to find. */
export const scanned = {
  names: [...read, ...spendingNames, audioName],
  counted: [...addressTokens.keys(), audioName],
} as const;

function addressedTokensOf({ counts }: JsonScan): number {
  let tokens = 0;
  for (const [name, count] of counts) tokens += count * (addressTokens.get(name) ?? 0);
  return tokens;
}

const predictionTokensOf = (field: JsonField | undefined): number =>
  field === undefined || field.kind === "null" ? 0 : estimateInput(field.end - field.start);

function isEmptyArray(body: Buffer, field: JsonField): boolean {
  for (let at = field.start + 1; at < field.end - 1; at += 1) {
    if ((body[at] ?? 0) > 0x20) return false;
  }
  return true;
}

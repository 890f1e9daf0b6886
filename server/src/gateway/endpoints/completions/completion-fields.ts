/**
 * What the gateway reads of a legacy completion, from the one scan of its bytes: which fields, of which type,
 * and where. What stands in a prompt is the protocol's to read; everything else in the body is the upstream's
 * to judge.
 */
import { findField } from "../../../lib/json/scan.ts";
import type { JsonScan } from "../../../lib/json/scan-shapes.ts";
import {
  type CompletionFields as ProtocolFields,
  readCompletionFields,
  scannedNames,
} from "../../../protocols/openai-completions/decode-request.ts";
import type { RequestFields } from "../endpoint.ts";
import { promptBytesAmong } from "../generation/prompt-bytes.ts";
import { readSpending, type Spending, spendingNames } from "../generation/spending.ts";
import { readStreamOptions } from "../generation/stream-options.ts";
import { readModels, readStream, typed } from "../shared-fields.ts";

/** What is read of a legacy completion, beside what every endpoint reads. */
export interface CompletionFields extends RequestFields, ProtocolFields {
  /** Bytes that count as prompt beside the prompts and their suffix. */
  readonly otherBytes: number;
  /** What decides how much it may cost. */
  readonly spending: Spending;
}

/** What surely is no prompt, however long it is. */
const settingNames = ["logit_bias", "metadata"] as const;

/** What the scan of a body looks for. */
export const scanned = {
  names: [
    "model",
    "models",
    "stream",
    "prompt_cache_key",
    "user",
    ...settingNames,
    ...scannedNames,
    ...spendingNames,
  ],
  counted: [],
} as const;

/** Reads the fields of a complete body. Throws `invalid_request` naming the field. */
export function readCompletion(scan: JsonScan, body: Buffer): CompletionFields {
  const isStream = readStream(scan);
  for (const name of ["max_tokens", "n", "best_of"]) typed(scan, name, ["number", "null"], "number");
  const options = readStreamOptions(scan, body, isStream);
  const model = readModels(scan, body);
  const asked = readCompletionFields(scan, body);
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
    ...asked,
    otherBytes: otherBytesOf(scan, body),
    spending,
  };
}

function otherBytesOf(scan: JsonScan, body: Buffer): number {
  let bytes = body.length;
  for (const name of ["prompt", "suffix", ...settingNames]) {
    const field = findField(scan, name);
    if (field !== undefined) bytes -= field.end - field.start;
  }
  return promptBytesAmong(bytes);
}

/** How many completions of each prompt come back; `best_of` of them are only written and billed. */
export function choicesOf({ spending }: CompletionFields): number {
  return spending.choices.find(({ path }) => path === "n")?.value ?? 1;
}

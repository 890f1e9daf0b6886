/**
 * Reads the fields of a legacy completion from the scan of its body. The protocol reads the prompts; the
 * upstream checks everything else.
 */
import { findField } from "../../../lib/json/scan.ts";
import type { JsonScan } from "../../../lib/json/scan-shapes.ts";
import {
  type CompletionFields as ProtocolFields,
  readCompletionFields,
  scannedNames,
} from "../../../protocols/openai-completions/decode-request.ts";
import type { CallTarget, RequestFields } from "../endpoint.ts";
import { readStreamOptions } from "../generation/parameters.ts";
import { promptBytesAmong } from "../generation/prompt-tokens.ts";
import { readSpending, type Spending, spendingNames } from "../generation/spending.ts";
import { readModels, readStream, typed } from "../shared-fields.ts";

/** Fields of a legacy completion, besides those every endpoint reads. */
export interface CompletionFields extends RequestFields, ProtocolFields {
  /** Bytes outside `prompt` and `suffix` that count as prompt. */
  readonly otherBytes: number;
  /** The fields that decide the cost. */
  readonly spending: Spending;
}

/** Never prompt, however long. */
const settingNames = ["logit_bias", "metadata"] as const;

/** Names for the body scanner to find. */
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
export function readCompletion(scan: JsonScan, body: Buffer, target?: CallTarget): CompletionFields {
  const isStream = readStream(scan);
  for (const name of ["max_tokens", "n", "best_of"]) typed(scan, name, ["number", "null"], "number");
  const options = readStreamOptions(scan, body, isStream);
  const model = readModels(scan, body, target?.model);
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

/** Completions returned per prompt. With `best_of`, more are written and billed. */
export function choicesOf({ spending }: CompletionFields): number {
  return spending.choices.find(({ path }) => path === "n")?.value ?? 1;
}

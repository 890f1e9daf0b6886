/**
 * `POST /v1/completions`, the legacy format, as callers send it (docs/wire/openai-completions.md
 * sections 1 and 2): what decides how much it may cost. Everything else in the body is the upstream's to
 * judge. Refusals are in OpenAI's words.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../lib/json/scan.ts";
import type { JsonField, JsonKind, JsonScan } from "../../lib/json/scan-shapes.ts";
import { estimateInputs, type Inputs, readInputs, refused } from "../inputs.ts";
import { textBytes } from "./text-count.ts";

/**
 * Names to look for at the top of the body, beside those every endpoint
 * has and those of bounds of the output.
 */
export const scannedNames = ["prompt", "suffix", "echo", "logprobs", "stop", "stream_options"] as const;

/** Prompts of one request at most. */
const promptsMax = 2_048;
const rules = { param: "prompt", countMax: promptsMax, allowsEmptyText: true } as const;

/**
 * What OpenAI writes at most where the caller names no bound. Other servers write
 * without end: they have to be told.
 */
export const outputTokensDefault = 16;

/** What the gateway needs of the body. */
export interface CompletionFields {
  /** Without a prompt the model begins a new document: one input of nothing. */
  readonly prompts: Inputs;
  /** UTF-8 bytes of the prompts that come back in front of each completion; 0 where they do not. */
  readonly echoBytes: number;
  /** Bytes of the text that goes behind what is inserted: prompt, too. */
  readonly suffixBytes: number;
}

const beginning: Inputs = { kind: "texts", items: [{ start: 0, end: 0, size: 0 }] };

/** Reads a complete body's scan. Throws `invalid_request` naming the field, with OpenAI's code. */
export function readCompletionFields(scan: JsonScan, body: Buffer): CompletionFields {
  const prompt = findField(scan, "prompt");
  const isGiven = prompt !== undefined && prompt.kind !== "null";
  const suffix = typed(scan, "suffix", ["string", "null"], "a string");
  const prompts = isGiven ? readInputs(body, prompt.start, rules) : beginning;
  const isEcho = typed(scan, "echo", ["true", "false", "null"], "a boolean")?.kind === "true";
  return {
    prompts,
    echoBytes: isEcho ? echoBytesOf(prompts, body) : 0,
    suffixBytes: suffix?.kind === "string" ? suffix.end - suffix.start - 2 : 0,
  };
}

/** What a token number probably is in text. */
const tokenBytes = 4;

function echoBytesOf({ kind, items }: Inputs, body: Buffer): number {
  return items.reduce(
    (bytes, { start, end, size }) =>
      bytes + (kind === "tokens" ? size * tokenBytes : size === 0 ? 0 : textBytes(body, start + 1, end - 1)),
    0,
  );
}

function typed(
  scan: JsonScan,
  name: string,
  kinds: readonly JsonKind[],
  shown: string,
): JsonField | undefined {
  const field = findField(scan, name);
  if (field === undefined || kinds.includes(field.kind)) return field;
  throw refused(name, "invalid_type", message("input.otherType", { param: name, wanted: shown }));
}

/** Tokens of all prompts, each with the suffix. `mostEach`: more than this the model does not read of one. */
export function estimatePrompts(
  { prompts, suffixBytes }: CompletionFields,
  mostEach = Number.POSITIVE_INFINITY,
): number {
  if (suffixBytes === 0) return estimateInputs(prompts, mostEach);
  const suffix = estimateInputs({ kind: "texts", items: [{ start: 0, end: 0, size: suffixBytes }] });
  const each = prompts.items.map((item) => estimateInputs({ ...prompts, items: [item] }) + suffix);
  return each.reduce((tokens, one) => tokens + Math.min(one, mostEach), 0);
}

/**
 * How many completions are written and billed: of each prompt the larger of `n`
 * and `best_of`, which are at least 1.
 */
export const answersOf = ({ prompts }: CompletionFields, choices: number): number =>
  prompts.items.length * Math.max(1, choices);

/**
 * Bytes of the prompts that come back in the answer's texts, `choices` times, and are no output: an upstream
 * that repeats them bills them once.
 */
export const echoedBytes = ({ echoBytes }: CompletionFields, choices: number): number =>
  echoBytes * Math.max(1, choices);

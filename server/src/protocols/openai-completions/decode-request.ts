/**
 * Reads `POST /v1/completions`, the legacy format (docs/wire/openai-completions.md sections 1 and 2): the
 * fields that decide the cost. The upstream checks everything else. Refusals use OpenAI's messages.
 */
import { message } from "@plaza/contract/messages/message.ts";
import { findField } from "../../lib/json/scan.ts";
import type { JsonField, JsonKind, JsonScan } from "../../lib/json/scan-shapes.ts";
import { estimateInputs, type Inputs, readInputs, refused } from "../inputs.ts";
import { textBytes } from "./text-count.ts";

/** Top-level names to scan for, besides those of every endpoint and those of output limits. */
export const scannedNames = ["prompt", "suffix", "echo", "logprobs", "stop", "stream_options"] as const;

/** Most prompts per request. */
const promptsMax = 2_048;
const rules = { param: "prompt", countMax: promptsMax, allowsEmptyText: true } as const;

/** OpenAI's default output limit. Other servers have none, so it must be sent to them. */
export const outputTokensDefault = 16;

/** What the gateway needs of the body. */
export interface CompletionFields {
  /** Without a prompt the model begins a new document: one empty input. */
  readonly prompts: Inputs;
  /** UTF-8 bytes of the prompts that are echoed before each completion; 0 without echo. */
  readonly echoBytes: number;
  /** Bytes of the text after the insertion; part of the prompt. */
  readonly suffixBytes: number;
}

const beginning: Inputs = { kind: "texts", items: [{ start: 0, end: 0, size: 0 }] };

/** Reads a complete body's scan. Throws `invalid_request` with the field's name and OpenAI's code. */
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

/** Assumed bytes of text per token number. */
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

/**
 * Estimated tokens of all prompts, each with the suffix. `mostEach`: the most tokens the model reads of one
 * prompt.
 */
export function estimatePrompts(
  { prompts, suffixBytes }: CompletionFields,
  mostEach = Number.POSITIVE_INFINITY,
): number {
  if (suffixBytes === 0) return estimateInputs(prompts, mostEach);
  const suffix = estimateInputs({ kind: "texts", items: [{ start: 0, end: 0, size: suffixBytes }] });
  const each = prompts.items.map((item) => estimateInputs({ ...prompts, items: [item] }) + suffix);
  return each.reduce((tokens, one) => tokens + Math.min(one, mostEach), 0);
}

/** Completions that are generated and billed: per prompt the larger of `n` and `best_of`, at least 1. */
export const answersOf = ({ prompts }: CompletionFields, choices: number): number =>
  prompts.items.length * Math.max(1, choices);

/**
 * Bytes of echoed prompts in the answer's texts, for `choices` choices. They are not output: upstreams bill
 * them once, as prompt.
 */
export const echoedBytes = ({ echoBytes }: CompletionFields, choices: number): number =>
  echoBytes * Math.max(1, choices);

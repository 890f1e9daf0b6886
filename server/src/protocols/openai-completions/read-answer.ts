/**
 * Reads answers of legacy completions (docs/wire/openai-completions.md sections 3 and 4), streamed and whole:
 * text, finish reasons, usage, errors in the stream, and the terminal marker.
 */
import type { Delivered } from "../../domain/money/estimate.ts";
import { createJsonScannerFactory, findField } from "../../lib/json/scan.ts";
import { isRecord, type JsonRecord, parseJson } from "../../lib/record.ts";
import type { Span } from "../protocol.ts";
import type { StreamEvent, StreamReader, WholeAnswer } from "../wire-protocol.ts";
import { namedTextBytes, TextCount } from "./text-count.ts";

/** Keys that mark a chunk as worth reading. */
export const streamMarks = ["usage", "finish_reason", "error"] as const;
const flagUsage = 1;

const openBrace = 0x7b;

const choicesOf = ({ choices }: JsonRecord): readonly JsonRecord[] =>
  Array.isArray(choices) ? choices.filter(isRecord) : [];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Some servers write an empty string instead of null. */
const isFinished = ({ finish_reason: reason }: JsonRecord): boolean => isText(reason);

const isError = ({ error, object }: JsonRecord): boolean =>
  (error !== undefined && error !== null && error !== "") || object === "error";

const without = { usage: undefined, hasContent: false, isUsageOnly: false, parsed: undefined } as const;
const end: StreamEvent = { kind: "end", ...without };
const unsound: StreamEvent = { kind: "unsound", ...without };
const failed: StreamEvent = { kind: "error", ...without };

export class CompletionStreamReader implements StreamReader {
  #hasFinish = false;
  readonly #text: TextCount;

  /** `echoedBytes`: bytes of the prompt that the stream repeats before the output. */
  constructor(echoedBytes = 0) {
    this.#text = new TextCount(echoedBytes);
  }

  get delivered(): Delivered {
    return this.#text.delivered;
  }

  isPlain(flags: number, firstByte: number | undefined): boolean {
    return flags === 0 && firstByte === openBrace;
  }

  countPlain(bytes: Buffer, start: number, to: number, dataStart: number): void {
    this.#text.count(bytes, Math.max(start, dataStart), to);
  }

  read(text: string, flags: number, name: string | undefined): StreamEvent {
    if (text === "[DONE]") return this.#hasFinish ? end : unsound;
    const chunk = parseJson(text);
    if (!isRecord(chunk) || name === "error" || isError(chunk)) return failed;
    const choices = choicesOf(chunk);
    if (choices.some(isFinished)) this.#hasFinish = true;
    const { usage } = chunk;
    return {
      kind: "part",
      usage: (flags & flagUsage) === 0 ? undefined : usage,
      hasContent: choices.some((choice) => isFinished(choice) || isText(choice["text"])),
      isUsageOnly: choices.length === 0 && isRecord(usage),
      parsed: text,
    };
  }

  count({ parsed }: StreamEvent): void {
    const bytes = Buffer.from(String(parsed));
    this.#text.count(bytes, 0, bytes.length);
  }
}

const createScanner = createJsonScannerFactory(["choices", "usage", "error"], {
  depthMax: 1_000,
  valuesMax: 50_000_000,
});

/** Undefined when the body is not a JSON object with choices, or is an error. */
export function readWhole(body: Buffer): WholeAnswer | undefined {
  const scanner = createScanner();
  scanner.push(body);
  const scan = scanner.end();
  if (scan.reason !== undefined) return undefined;
  const choices = findField(scan, "choices");
  const error = findField(scan, "error");
  if (choices?.kind !== "array" || (error !== undefined && error.kind !== "null")) return undefined;
  const usage = findField(scan, "usage");
  const report: unknown =
    usage?.kind === "object" ? JSON.parse(body.toString("utf8", usage.start, usage.end)) : undefined;
  return { usage: report, content: choices };
}

/** UTF-8 bytes of the choices' texts, without the `echoed` bytes of prompts. */
export const contentBytes = (body: Buffer, { start, end: to }: Span, echoed = 0): number =>
  Math.max(0, namedTextBytes(body, start, to) - echoed);

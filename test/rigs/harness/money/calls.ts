/**
 * Calls of the money rigs: bodies with a known hold, and the conclusions a caller may draw from an answer.
 * Shares no code with the product.
 */
import type { Plan } from "../../upstream/plan.ts";
import type { Seen } from "../http-client.ts";
import { eventJson, isDone, isUsageOnly, splitEvents } from "../sse.ts";

/** A request, and the upstream's instructions for it. */
export interface MoneyCall {
  readonly id: string;
  readonly isStream: boolean;
  /** Requested maximum output, which determines the hold. */
  readonly maxTokens: number;
  readonly model?: string | undefined;
  readonly plan: Partial<Plan>;
}

/** Filler that keeps the length of bodies at a constant number of digits. */
const filler = "All work and no play makes Jack a dull boy. ".repeat(16);
/** Makes the body of a whole answer as long as that of a stream, so that both have the same hold. */
const evenLength = "x".repeat(
  JSON.stringify({ stream: true, stream_options: { include_usage: true } }).length -
    JSON.stringify({ stream: false, x_even: "" }).length,
);

export function bodyOf({ id, isStream, maxTokens, model, plan }: MoneyCall): string {
  return JSON.stringify({
    model: model ?? "rig-model",
    messages: [{ role: "user", content: filler }],
    stream: isStream,
    ...(isStream ? { stream_options: { include_usage: true } } : { x_even: evenLength }),
    max_tokens: maxTokens,
    x_rig: { ...plan, id },
  });
}

/** Prompt tokens in the hold of this body. */
export function heldInput(body: string): number {
  return Math.ceil(Buffer.byteLength(body) / 4);
}

/** A call whose charge equals its hold: the upstream reports the estimated prompt and the maximum output. */
export function exactCall(call: Omit<MoneyCall, "plan">, plan: Partial<Plan> = {}): MoneyCall {
  let promptTokens = 0;
  for (let turn = 0; turn < 10; turn++) {
    const made = { ...call, plan: { ...plan, promptTokens, tokens: call.maxTokens } };
    const held = heldInput(bodyOf(made));
    if (held === promptTokens) return made;
    promptTokens = held;
  }
  throw new Error("no prompt size is its own estimate");
}

/** Tokens as an upstream reports them. */
export interface ReportedUsage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 1e9;

/** Reads a usage object; undefined when missing or impossible. */
function readReported(value: unknown): ReportedUsage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: details,
  } = value as {
    prompt_tokens?: unknown;
    completion_tokens?: unknown;
    prompt_tokens_details?: { cached_tokens?: unknown } | null;
  };
  const cachedInput = details?.cached_tokens ?? 0;
  return isCount(input) && isCount(output) && isCount(cachedInput)
    ? { input, cachedInput, output }
    : undefined;
}

/** Reads usage from JSON text; undefined when missing, invalid or impossible. */
export function readReportedText(text: string | undefined): ReportedUsage | undefined {
  if (text === undefined) return undefined;
  try {
    return readReported(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A complete answer received by a caller: `[DONE]`, or a whole JSON body. */
export interface CompletedAnswer {
  readonly requestId: string;
  readonly usage: ReportedUsage | undefined;
}

/** The caller's complete answer, if it is one. */
export function completedAnswer(
  seen: Pick<Seen, "status" | "headers" | "body" | "isWhole">,
): CompletedAnswer | undefined {
  if (seen.status !== 200) return undefined;
  const requestId = String(seen.headers["x-request-id"] ?? "");
  if (/^text\/event-stream/.test(seen.headers["content-type"] ?? "")) {
    const pieces = splitEvents(seen.body);
    if (!pieces.some(isDone)) return undefined;
    const usage = pieces.filter(isUsageOnly).map((piece) => (eventJson(piece) as { usage: unknown }).usage);
    return { requestId, usage: readReported(usage.at(-1)) };
  }
  if (!seen.isWhole) return undefined;
  try {
    const { usage } = JSON.parse(seen.body.toString("utf8")) as { usage?: unknown };
    return { requestId, usage: readReported(usage) };
  } catch {
    return undefined;
  }
}

/**
 * Calls of the money rigs: bodies with a known hold, and the conclusions a caller may draw from an answer.
 * Shares no code with the product.
 */
import type { Plan } from "../../upstream/plan.ts";
import { spokenName } from "../catalog.ts";
import { bodyFor, pathOf, type RigCall, type Route, readAnswer, routeFor } from "../endpoints.ts";
import type { Seen } from "../http-client.ts";
import type { Plaza } from "../processes/plaza.ts";

/** A request, and the upstream's instructions for it. */
export interface MoneyCall {
  readonly id: string;
  readonly isStream: boolean;
  /** Requested maximum output, which determines the hold. */
  readonly maxTokens: number;
  readonly model?: string | undefined;
  readonly plan: Partial<Plan>;
  /** Default one by the id and the seed, so that a rig's calls are spread over all. */
  readonly route?: Route | undefined;
}

/** All bodies are as long as this, so that they hold the same in every format, streamed or whole. */
const bodyBytes = 1_400;
const words = "All work and no play makes Jack a dull boy. ".repeat(4);

const routeOf = ({ route, id }: MoneyCall, seed: number): Route => route ?? routeFor(id, seed);

const rigCall = ({ id, isStream, maxTokens, model, plan }: MoneyCall, { spoken }: Route): RigCall => ({
  model: spokenName(model ?? "rig-model", spoken),
  isStream,
  maxTokens,
  plan: { ...plan, id },
  text: words,
});

/** The body of a call; as long as it is on every route. */
export function bodyOf(call: MoneyCall, seed = 0): string {
  const route = routeOf(call, seed);
  return bodyFor(route.endpoint, rigCall(call, route), bodyBytes);
}

/** What is sent, and where to. */
export function requestTo({ origin, seed }: Pick<Plaza, "origin" | "seed">, call: MoneyCall) {
  const route = routeOf(call, seed);
  return { url: origin + pathOf(route.endpoint, rigCall(call, route)), body: bodyOf(call, seed) };
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
  const { isComplete, usage } = readAnswer(seen);
  if (!isComplete) return undefined;
  return { requestId: String(seen.headers["x-request-id"] ?? ""), usage: readReported(usage) };
}

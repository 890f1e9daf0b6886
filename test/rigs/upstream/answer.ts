/**
 * Builds the bytes of a valid answer from a plan: a list of steps for a stream, or one JSON body. Pure;
 * `faults.ts` applies faults to it, `player.ts` writes it.
 */
import { chunk, type Dialect, eventBytes, type StreamHead, usageChunk } from "../harness/streams/chunk.ts";
import { findStream } from "../harness/streams/streams.ts";
import { isTextKind, type TextKind, tokensText, tokenText } from "../harness/streams/tokens.ts";
import type { Plan } from "./plan.ts";
import { usageText } from "./usage-shapes.ts";

/** One write: an event (or the whole body), and the pause before it. */
export interface Step {
  readonly afterMs: number;
  readonly bytes: Buffer;
  /** Content tokens in it. */
  readonly tokens: number;
  /** True when it contains the usage object. */
  readonly hasUsage: boolean;
  /** True when a timestamp must be filled in on writing. */
  readonly stamped: boolean;
  /** How often it is written; lets a huge answer share one buffer. */
  readonly repeat: number;
}

/** How the body ends after its last step. */
export type Ending = "end" | "fin" | "truncate" | "rst" | "hang";

/** A whole answer. */
export interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly ending: Ending;
  /** Sizes of the writes, used in turn, instead of one write per step. */
  readonly split?: readonly number[] | undefined;
}

/** The request's data when the answer is built. */
export interface Asked {
  readonly callId: string;
  readonly model: string;
  readonly isStream: boolean;
  readonly isUsageAsked: boolean;
  /** What a careless upstream repeats in its error texts: its credential and address. */
  readonly authorization: string;
  readonly address: string;
  /** Further texts for errors and headers, set at start: account ids, host names, cookies. */
  readonly leaks: readonly string[];
}

/** Placeholder of `x_t` until the chunk is written; replaced by a time of the same length. */
export const stampHole = "00000000000000.000";

export function step(bytes: Buffer | string, more: Partial<Step> = {}): Step {
  return {
    afterMs: 0,
    bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
    tokens: 0,
    hasUsage: false,
    stamped: false,
    repeat: 1,
    ...more,
  };
}

function textKind(plan: Plan): TextKind {
  return isTextKind(plan.text) ? plan.text : "en";
}

function headOf(asked: Asked): StreamHead {
  return { id: `chatcmpl-${asked.callId}`, created: 1_760_000_000, model: asked.model };
}

/** The valid answer to a request under a plan. */
export function soundScript(plan: Plan, asked: Asked): Script {
  if (!asked.isStream) return jsonScript(plan, asked);
  const steps = plan.replay === "" ? streamSteps(plan, asked) : replaySteps(plan);
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
  return { status: 200, headers, steps: firstLate(steps, plan.firstMs), ending: "end" };
}

function firstLate(steps: Step[], firstMs: number): Step[] {
  const [first, ...rest] = steps;
  return first === undefined || firstMs === 0 ? steps : [{ ...first, afterMs: firstMs }, ...rest];
}

function replaySteps(plan: Plan): Step[] {
  const recorded = findStream(plan.replay);
  if (recorded === undefined) throw new RangeError(`no recorded stream "${plan.replay}"`);
  return recorded.events.map((bytes, index) =>
    step(bytes, { afterMs: plan.gapMs, hasUsage: recorded.usageOnly.includes(index) }),
  );
}

function streamSteps(plan: Plan, asked: Asked): Step[] {
  const head = headOf(asked);
  const dialect: Dialect = { json: plan.python ? "python" : "compact", lineEnd: plan.crlf ? "\r\n" : "\n" };
  const top = plan.usageNull ? { top: { usage: null } } : {};
  const write = (value: object | string): Buffer => eventBytes(value, dialect);
  const steps = [step(write(chunk(head, { role: "assistant", content: plan.tools > 0 ? null : "" }, top)))];
  steps.push(...(plan.tools > 0 ? toolSteps(plan, head, write) : contentSteps(plan, head, write)));
  steps.push(step(write(chunk(head, {}, { finish: plan.tools > 0 ? "tool_calls" : "stop", ...top }))));
  steps.push(...endSteps(plan, asked, head, write));
  return withComments(steps, plan.commentEvery);
}

function contentSteps(plan: Plan, head: StreamHead, write: (value: object) => Buffer): Step[] {
  if (plan.content !== "") return [step(write(chunk(head, { content: plan.content })), { tokens: 1 })];
  const kind = textKind(plan);
  const top = plan.usageNull ? { usage: null } : {};
  if (plan.padBytes >= 1024) {
    const bytes = write(chunk(head, { content: "x".repeat(plan.padBytes) }, { top }));
    return [step(bytes, { tokens: 1, repeat: plan.tokens })];
  }
  const steps: Step[] = [];
  for (let index = 0; index < plan.tokens; index++) {
    const content = tokenText(kind, index).padEnd(plan.padBytes, "x");
    const stamp = plan.stamp ? { x_t: stampHole } : {};
    const bytes = write(chunk(head, { content }, { top: { ...top, ...stamp } }));
    steps.push(step(bytes, { afterMs: pauseBefore(plan, index), tokens: 1, stamped: plan.stamp }));
  }
  return steps;
}

function pauseBefore(plan: Plan, token: number): number {
  return token === 0 || token < plan.burst ? 0 : plan.gapMs;
}

function toolSteps(plan: Plan, head: StreamHead, write: (value: object) => Buffer): Step[] {
  const kind = textKind(plan);
  const steps: Step[] = [];
  for (let index = 0; index < plan.tools; index++) {
    const start = { index, id: `call_${index}`, type: "function", function: { name: "tool", arguments: "" } };
    steps.push(step(write(chunk(head, { tool_calls: [start] }))));
    for (let token = 0; token < plan.tokens; token++) {
      const part = { index, function: { arguments: JSON.stringify(tokenText(kind, token)).slice(1, -1) } };
      steps.push(step(write(chunk(head, { tool_calls: [part] })), { afterMs: plan.gapMs, tokens: 1 }));
    }
  }
  return steps;
}

/** Completion tokens of a plan's answer. */
function completionTokens(plan: Plan): number {
  if (plan.content !== "") return 1;
  return plan.tokens * Math.max(1, plan.tools);
}

function endSteps(
  plan: Plan,
  asked: Asked,
  head: StreamHead,
  write: (value: object | string) => Buffer,
): Step[] {
  const text = usageText(plan, completionTokens(plan), asked.isUsageAsked);
  const steps: Step[] = [];
  if (text !== undefined) {
    const marked = write(usageChunk(head, {})).toString("utf8");
    const bytes = Buffer.from(marked.replace(/"usage":\s?\{\}/, () => `"usage":${text}`));
    steps.push(step(bytes, { hasUsage: true }));
  }
  steps.push(step(write("[DONE]")));
  const [first, ...rest] = steps;
  return first === undefined ? [] : [{ ...first, afterMs: plan.endMs }, ...rest];
}

function withComments(steps: Step[], every: number): Step[] {
  if (every === 0) return steps;
  return steps.flatMap((one, index) => (index % every === 0 ? [step(": keep-alive\n\n"), one] : [one]));
}

function jsonScript(plan: Plan, asked: Asked): Script {
  const tokens = completionTokens(plan);
  const head = headOf(asked);
  const text =
    plan.content === "" ? tokensText(textKind(plan), plan.tokens).padEnd(plan.padBytes, "x") : plan.content;
  const calls = Array.from({ length: plan.tools }, (_, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name: "tool", arguments: JSON.stringify({ text }) },
  }));
  const message =
    plan.tools > 0
      ? { role: "assistant", content: null, refusal: null, tool_calls: calls }
      : { role: "assistant", content: text, refusal: null, annotations: [] };
  const usage = usageText(plan.usage === "asked" ? { ...plan, usage: "always" } : plan, tokens, true);
  const finish = plan.tools > 0 ? "tool_calls" : "stop";
  const body = JSON.stringify({
    id: head.id,
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
  });
  const whole =
    usage === undefined ? body : `${body.slice(0, -1)},"usage":${usage},"x_big":9007199254740993}`;
  const bytes = Buffer.from(plan.python ? whole.replaceAll('","', '", "') : whole);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    steps: [step(bytes, { afterMs: plan.firstMs, tokens, hasUsage: usage !== undefined })],
    ending: "end",
  };
}

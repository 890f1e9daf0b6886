/**
 * Builds the bytes of a valid answer from a plan: a list of steps for a stream, or one body, in the format it
 * was asked for. Pure; `faults.ts` applies faults to it, `player.ts` writes it.
 */
import type { EndpointName } from "../harness/endpoints.ts";
import { findStream } from "../harness/streams/streams.ts";
import { chatFormat } from "./formats/chat.ts";
import type { UpstreamFormat } from "./formats/format.ts";
import { geminiFormat } from "./formats/gemini.ts";
import { messagesFormat } from "./formats/messages.ts";
import { responsesFormat } from "./formats/responses.ts";
import type { Plan } from "./plan.ts";
import { type Asked, type Script, type Step, step } from "./script.ts";

export const formats: Readonly<Record<EndpointName, UpstreamFormat>> = {
  chat: chatFormat,
  responses: responsesFormat,
  messages: messagesFormat,
  gemini: geminiFormat,
};

/** The valid answer to a request under a plan. */
export function soundScript(plan: Plan, asked: Asked): Script {
  const format = formats[asked.format];
  if (!asked.isStream) {
    const whole = { ...format.whole(plan, asked), afterMs: plan.firstMs };
    return { status: 200, headers: { "content-type": "application/json" }, steps: [whole], ending: "end" };
  }
  const steps =
    plan.replay === "" ? withComments(format.stream(plan, asked), plan.commentEvery) : replaySteps(plan);
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

function withComments(steps: Step[], every: number): Step[] {
  if (every === 0) return steps;
  return steps.flatMap((one, index) => (index % every === 0 ? [step(": keep-alive\n\n"), one] : [one]));
}

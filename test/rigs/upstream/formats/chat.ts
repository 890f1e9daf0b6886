/** The counting upstream's answers in the format of chat completions. Pure. */
import { chunk, type Dialect, eventBytes, type StreamHead, usageChunk } from "../../harness/streams/chunk.ts";
import { tokenText } from "../../harness/streams/tokens.ts";
import type { Plan } from "../plan.ts";
import { type Asked, type Step, step } from "../script.ts";
import { usageText } from "../usage-shapes.ts";
import type { UpstreamFormat } from "./format.ts";
import { completionTokens, plannedTokens, textKind, textOf } from "./planned.ts";

function headOf(asked: Asked): StreamHead {
  return { id: `chatcmpl-${asked.callId}`, created: 1_760_000_000, model: asked.model };
}

function streamSteps(plan: Plan, asked: Asked): Step[] {
  const head = headOf(asked);
  const dialect: Dialect = { json: plan.python ? "python" : "compact", lineEnd: plan.crlf ? "\r\n" : "\n" };
  const top = plan.usageNull ? { top: { usage: null } } : {};
  const write = (value: object | string): Buffer => eventBytes(value, dialect);
  const steps = [step(write(chunk(head, { role: "assistant", content: plan.tools > 0 ? null : "" }, top)))];
  steps.push(...(plan.tools > 0 ? toolSteps(plan, head, write) : contentSteps(plan, head, write)));
  steps.push(
    step(write(chunk(head, {}, { finish: plan.tools > 0 ? "tool_calls" : "stop", ...top })), {
      isFinish: true,
    }),
  );
  steps.push(...endSteps(plan, asked, head, write));
  return steps;
}

function contentSteps(plan: Plan, head: StreamHead, write: (value: object) => Buffer): Step[] {
  const top = plan.usageNull ? { usage: null } : {};
  return plannedTokens(plan).map(({ text: content, ...pace }) =>
    step(write(chunk(head, { content }, { top })), { ...pace, tokens: 1, stamped: plan.stamp }),
  );
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
  steps.push(step(write("[DONE]"), { isEnd: true }));
  const [first, ...rest] = steps;
  return first === undefined ? [] : [{ ...first, afterMs: plan.endMs }, ...rest];
}

function wholeStep(plan: Plan, asked: Asked): Step {
  const tokens = completionTokens(plan);
  const head = headOf(asked);
  const text = textOf(plan);
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
  return step(bytes, { tokens, hasUsage: usage !== undefined });
}

export const chatFormat: UpstreamFormat = {
  stream: streamSteps,
  whole: wholeStep,
  error: (_status, { message, type, code }) => ({ error: { message, type, param: null, code } }),
  failure: (_status, { message, type, code }) => eventBytes({ error: { message, type, param: null, code } }),
};

/** The counting upstream's answers in the format of OpenAI's Responses. Pure. */
import {
  callItem,
  callItemEvents,
  type ItemEvents,
  numbered,
  type ResponsesEvent,
  responseBegun,
  responseCompleted,
  responseUsage,
  responseWith,
  textItem,
  textItemEvents,
} from "../../../wire/responses.ts";
import type { Fields } from "../../../wire/tokens.ts";
import { type Dialect, namedEventBytes, openaiDialect } from "../../harness/streams/chunk.ts";
import type { Plan } from "../plan.ts";
import { type Asked, type Step, step } from "../script.ts";
import type { UpstreamFormat } from "./format.ts";
import {
  completionTokens,
  plannedTokens,
  reportedTokens,
  reportText,
  textOf,
  withNoNumbers,
} from "./planned.ts";

function outputOf(plan: Plan, asked: Asked): Fields[] {
  if (plan.tools === 0) return [textItem(`msg_${asked.callId}`, plan.stamp ? "" : textOf(plan))];
  const args = JSON.stringify({ text: textOf(plan) });
  return Array.from({ length: plan.tools }, (_, index) => callItem(`call_${index}`, "tool", args));
}

function wholeOf(plan: Plan, asked: Asked): Fields {
  const tokens = reportedTokens(plan, completionTokens(plan));
  const request = { model: asked.model, store: false };
  return responseWith(
    `resp_${asked.callId}`,
    request,
    outputOf(plan, asked),
    tokens && responseUsage(tokens),
  );
}

function streamSteps(plan: Plan, asked: Asked): Step[] {
  const dialect: Dialect = { json: plan.python ? "python" : "compact", lineEnd: plan.crlf ? "\r\n" : "\n" };
  const steps: Step[] = [];
  const write = (event: ResponsesEvent, more: Partial<Step> = {}): void => {
    const bytes = namedEventBytes(numbered(event, steps.length), dialect);
    steps.push(step(withNoNumbers(plan, bytes), more));
  };
  const whole = wholeOf(plan, asked);
  for (const event of responseBegun(whole)) write(event);
  const tokens = plannedTokens(plan);
  for (const [index, item] of outputOf(plan, asked).entries()) {
    const { begin, deltas, end } = eventsOf(plan, index, item);
    for (const event of begin) write(event);
    for (const [place, event] of deltas.entries()) {
      const { afterMs = 0, repeat = 1 } = plan.tools > 0 ? {} : (tokens[place] ?? {});
      write(event, { afterMs, repeat, tokens: plan.tools > 0 ? plan.tokens : 1, stamped: plan.stamp });
    }
    for (const event of end) write(event);
  }
  write(responseCompleted(whole), {
    afterMs: plan.endMs,
    isFinish: true,
    isEnd: true,
    hasUsage: whole["usage"] !== undefined,
    report: reportText(plan, completionTokens(plan)),
  });
  return steps;
}

function eventsOf(plan: Plan, index: number, item: Fields): ItemEvents {
  if (plan.tools > 0) return callItemEvents(index, item, [String(item["arguments"])]);
  const pieces = plannedTokens(plan).map(({ text }) => text);
  return textItemEvents(index, item, pieces);
}

function wholeStep(plan: Plan, asked: Asked): Step {
  const whole = wholeOf(plan, asked);
  return step(withNoNumbers(plan, Buffer.from(JSON.stringify(whole))), {
    tokens: completionTokens(plan),
    hasUsage: whole["usage"] !== undefined,
    report: reportText(plan, completionTokens(plan)),
  });
}

export const responsesFormat: UpstreamFormat = {
  stream: streamSteps,
  whole: wholeStep,
  error: (_status, { message, type, code }) => ({ error: { message, type, param: null, code } }),
  failure: (_status, { message, code }) =>
    namedEventBytes(
      { type: "error", code: code ?? "server_error", message, param: null, sequence_number: 4 } as Fields & {
        type: string;
      },
      openaiDialect,
    ),
};

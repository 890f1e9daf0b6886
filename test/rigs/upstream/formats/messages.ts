/** The counting upstream's answers in the format of Anthropic's Messages. Pure. */

import {
  blockDelta,
  blockStart,
  blockStop,
  inputUsage,
  type MessagesEvent,
  messageDelta,
  messageStart,
  messageStop,
  messagesError,
  messageWith,
  outputUsage,
  ping,
} from "../../../wire/messages.ts";
import type { Fields } from "../../../wire/tokens.ts";
import { type Dialect, namedEventBytes, openaiDialect } from "../../harness/streams/chunk.ts";
import type { Plan } from "../plan.ts";
import { type Asked, type Step, step } from "../script.ts";
import type { UpstreamError, UpstreamFormat } from "./format.ts";
import {
  completionTokens,
  plannedTokens,
  reportedTokens,
  reportText,
  textOf,
  withNoNumbers,
} from "./planned.ts";

const reasonOf = (plan: Plan): string => (plan.tools > 0 ? "tool_use" : "end_turn");
const headOf = ({ callId, model }: Asked) => ({ id: `msg_${callId}`, model });

function streamSteps(plan: Plan, asked: Asked): Step[] {
  const dialect: Dialect = { json: plan.python ? "python" : "compact", lineEnd: plan.crlf ? "\r\n" : "\n" };
  const write = (event: MessagesEvent, more: Partial<Step> = {}): Step =>
    step(withNoNumbers(plan, namedEventBytes(event, dialect)), more);
  const output = completionTokens(plan);
  const tokens = reportedTokens(plan, output);
  const begun = messageWith(headOf(asked), [], null);
  const usage = tokens === undefined ? {} : { usage: { ...inputUsage(tokens), output_tokens: 1 } };
  const end = {
    afterMs: plan.endMs,
    isFinish: true,
    hasUsage: tokens !== undefined,
    report: reportText(plan, output),
  };
  return [
    write(messageStart({ ...begun, ...usage })),
    write(ping),
    ...(plan.tools > 0 ? toolSteps(plan, write) : contentSteps(plan, write)),
    write(messageDelta(reasonOf(plan), tokens && outputUsage(tokens)), end),
    write(messageStop, { isEnd: true }),
  ];
}

type Write = (event: MessagesEvent, more?: Partial<Step>) => Step;

function contentSteps(plan: Plan, write: Write): Step[] {
  return [
    write(blockStart(0, { type: "text", text: "" })),
    ...plannedTokens(plan).map(({ text, ...pace }) =>
      write(blockDelta(0, { type: "text_delta", text }), { ...pace, tokens: 1, stamped: plan.stamp }),
    ),
    write(blockStop(0)),
  ];
}

const argumentsOf = (plan: Plan): Fields => ({ text: textOf(plan) });

function toolSteps(plan: Plan, write: Write): Step[] {
  return Array.from({ length: plan.tools }, (_, index) => [
    write(blockStart(index, { type: "tool_use", id: `toolu_${index}`, name: "tool", input: {} })),
    write(blockDelta(index, { type: "input_json_delta", partial_json: JSON.stringify(argumentsOf(plan)) }), {
      afterMs: plan.gapMs,
      tokens: plan.tokens,
    }),
    write(blockStop(index)),
  ]).flat();
}

function wholeStep(plan: Plan, asked: Asked): Step {
  const output = completionTokens(plan);
  const tokens = reportedTokens(plan, output);
  const content =
    plan.tools > 0
      ? Array.from({ length: plan.tools }, (_, index) => ({
          type: "tool_use",
          id: `toolu_${index}`,
          name: "tool",
          input: argumentsOf(plan),
        }))
      : [{ type: "text", text: textOf(plan) }];
  const usage = tokens === undefined ? {} : { usage: { ...inputUsage(tokens), ...outputUsage(tokens) } };
  const text = JSON.stringify({ ...messageWith(headOf(asked), content, reasonOf(plan)), ...usage });
  return step(withNoNumbers(plan, Buffer.from(text)), {
    tokens: output,
    hasUsage: tokens !== undefined,
    report: reportText(plan, output),
  });
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const errorOf = (status: number, { message }: UpstreamError): MessagesEvent =>
  messagesError(
    types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
    message,
    "req_RigRequest0001",
  );

export const messagesFormat: UpstreamFormat = {
  stream: streamSteps,
  whole: wholeStep,
  error: errorOf,
  failure: (status, error) => namedEventBytes(errorOf(status, error), openaiDialect),
};

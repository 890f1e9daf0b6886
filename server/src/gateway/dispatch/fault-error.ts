/**
 * Faults as errors: the one that stops a call before it is made, and the caller's. Problems with Plaza's
 * credentials, quota or configuration are never blamed on the caller. Upstream text is shown only when it is
 * about the caller's own request, and only scrubbed.
 */

import { defaultMessage, type ErrorDetail, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { type FaultKind, faultRules } from "../../domain/routing/fault.ts";
import type { Fault } from "../../protocols/protocol.ts";
import { contextLimitIn } from "../../providers/context-limit.ts";

/** A call that is not made, and the fault its attempt ends with. */
export class CallRefused extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super("the call is refused");
    this.fault = fault;
  }
}

/** Messages with more detail than the error catalogue's. */
const messages: Partial<Record<FaultKind, Message>> = {
  too_large: message("upstream.tooLarge"),
  upstream_auth: message("upstream.refusedGateway"),
  rate_limit: message("upstream.limiting"),
  request_over_limit: message("upstream.overMinute"),
  overloaded: message("upstream.overloaded"),
  stopping: message("call.stopped"),
};

/** Wraps a scrubbed upstream message. */
const words = (text: string): Message => message("upstream.words", { text });

/**
 * Builds the message by which clients built on LiteLLM recognise a prompt that is too long, whichever
 * provider refused it. The limit is the upstream's if it names one, because that is what refused the prompt;
 * otherwise the catalog's. Words that clients of the caller's format read stay as they are.
 */
function overflowMessage(said: string | undefined, { context, readsOverflow }: Faulted): Message {
  const isRead = (text: string): boolean =>
    readsOverflow?.(text) === true || /^This model's maximum context length is \d/.test(text);
  if (said !== undefined && isRead(said)) return words(said);
  const limit = (said === undefined ? undefined : contextLimitIn(said)) ?? context;
  const beginning =
    limit === undefined
      ? defaultMessage("context_length_exceeded")
      : message("upstream.contextMax", { limit });
  return message("upstream.withDetail", { beginning, detail: said ?? message("upstream.shorten") });
}

/**
 * Starts with OpenAI's error code, by which clients built on LiteLLM recognise the error. The upstream's text
 * follows.
 */
function filterMessage(said: string | undefined): Message {
  const beginning = defaultMessage("content_filter");
  return message("upstream.withDetail", { beginning, detail: said ?? message("upstream.changePrompt") });
}

function messageFor(fault: Fault, faulted: Faulted): Message | undefined {
  if (fault.kind === "context_length") return overflowMessage(fault.message, faulted);
  if (fault.kind === "content_filter") return filterMessage(fault.message);
  const shown = faultRules[fault.kind].isTextShown ? fault.message : undefined;
  return shown === undefined ? messages[fault.kind] : (fault.messageRef ?? words(shown));
}

/** Facts about the failed request that its error may mention. */
interface Faulted {
  /**
   * Number of attempts made. After more than one, the SDK is told not to retry, because its retries would
   * multiply ours.
   */
  readonly attempts: number;
  /** The request field that holds the prompt. */
  readonly promptField: string;
  /** Context window of the model in tokens; undefined when the catalog has none. */
  readonly context?: number | undefined;
  /** `ErrorShape.readsOverflow` of the caller's format. */
  readonly readsOverflow?: ((text: string) => boolean) | undefined;
}

/** Returns the caller's error for the last fault of a request. */
export function faultError(fault: Fault, faulted: Faulted): GatewayError {
  const { attempts, promptField } = faulted;
  const rule = faultRules[fault.kind];
  const detail: ErrorDetail = {
    message: messageFor(fault, faulted),
    param: rule.isTextShown
      ? (fault.param ?? (fault.kind === "context_length" ? promptField : undefined))
      : undefined,
    passedCode: fault.kind === "bad_request" ? fault.code : undefined,
    shouldRetry: attempts > 1 && !rule.isRetriedAfterAttempts ? false : rule.shouldRetry,
    retryAfterMs: waitFor(fault),
  };
  return new GatewayError(fault.isModelUnknown === true ? "model_not_found" : rule.code, detail);
}

function waitFor({ kind, retryAfterMs }: Fault): number | undefined {
  const { wait } = faultRules[kind];
  if (wait === undefined) return undefined;
  return retryAfterMs ?? (wait === "stated_or_second" ? 1000 : undefined);
}

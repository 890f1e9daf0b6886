/**
 * Fault → what the caller is told. Upstream trouble with our credentials, quota or
 * configuration is ours, never the caller's; nothing an upstream wrote is repeated except about
 * the caller's own request, and that scrubbed.
 */

import { defaultMessage, type ErrorDetail, GatewayError } from "@plaza/contract/errors.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { type FaultKind, faultRules } from "../../domain/routing/fault.ts";
import type { Fault } from "../../protocols/protocol.ts";
import { contextLimitIn } from "../../providers/context-limit.ts";

/** Texts that say more than the catalogue's. */
const messages: Partial<Record<FaultKind, Message>> = {
  too_large: message("upstream.tooLarge"),
  upstream_auth: message("upstream.refusedGateway"),
  rate_limit: message("upstream.limiting"),
  request_over_limit: message("upstream.overMinute"),
  overloaded: message("upstream.overloaded"),
  stopping: message("call.stopped"),
};

/** An upstream's own words. */
const words = (text: string): Message => message("upstream.words", { text });

/**
 * What clients built on LiteLLM know a prompt that is too long by, for every provider. The number is the
 * upstream's where it names one, for that is what the prompt met; else the catalog's.
 */
function overflowMessage(said: string | undefined, context: number | undefined): Message {
  if (said !== undefined && /^This model's maximum context length is \d/.test(said)) return words(said);
  const limit = (said === undefined ? undefined : contextLimitIn(said)) ?? context;
  const beginning =
    limit === undefined
      ? defaultMessage("context_length_exceeded")
      : message("upstream.contextMax", { limit });
  return message("upstream.withDetail", { beginning, detail: said ?? message("upstream.shorten") });
}

/** Names OpenAI's code, by which clients built on LiteLLM know it; the upstream's own words come after it. */
function filterMessage(said: string | undefined): Message {
  const beginning = defaultMessage("content_filter");
  return message("upstream.withDetail", { beginning, detail: said ?? message("upstream.changePrompt") });
}

function messageFor(fault: Fault, context: number | undefined): Message | undefined {
  if (fault.kind === "context_length") return overflowMessage(fault.message, context);
  if (fault.kind === "content_filter") return filterMessage(fault.message);
  const shown = faultRules[fault.kind].isTextShown ? fault.message : undefined;
  return shown === undefined ? messages[fault.kind] : (fault.messageRef ?? words(shown));
}

/** What is known of the request whose last attempt ended with a fault. */
interface Faulted {
  /**
   * How many attempts it had. Where we tried more than once, the SDK is told not
   * to: its tries and ours would multiply.
   */
  readonly attempts: number;
  /** The field of the request that holds what is asked. */
  readonly promptField: string;
  /** The context of the model that was asked, in tokens, where the catalog has it. */
  readonly context?: number | undefined;
}

/** The caller's error for the last fault of a request. */
export function faultError(fault: Fault, { attempts, context, promptField }: Faulted): GatewayError {
  const rule = faultRules[fault.kind];
  const detail: ErrorDetail = {
    message: messageFor(fault, context),
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

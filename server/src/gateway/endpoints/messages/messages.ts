/**
 * `POST /v1/messages`, Anthropic's format: what is special about it, and nothing that another endpoint does
 * in the same way.
 */
import { anthropicMessages } from "../../../protocols/anthropic-messages/answers/answers.ts";
import type { Endpoint } from "../endpoint.ts";
import { promptTokens } from "../generation/prompt-tokens.ts";
import { worstCaseOf } from "../generation/worst-case.ts";
import { betaHeader, type MessagesFields, readMessages, scanned, versionHeader } from "./messages-fields.ts";

const bounds: ReadonlySet<string> = new Set(["max_tokens"]);

export const messages: Endpoint<MessagesFields> = {
  path: "/v1/messages",
  operation: "chat",
  protocol: anthropicMessages,
  scanned,
  forwardedHeaders: [versionHeader, betaHeader],
  promptField: "messages",
  sessionFields: ["user"],
  droppable: new Set(["temperature", "top_p", "top_k"]),
  read: (scan, body, { forwarded }) => readMessages(scan, body, forwarded),
  worstCase: (model, price, fields, body) => worstCaseOf(model, price, fields, body, bounds),
  promptTokens,
};

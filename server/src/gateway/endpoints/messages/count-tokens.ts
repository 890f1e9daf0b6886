/** `POST /v1/messages/count_tokens`: how many tokens a request has, counted by an upstream or not at all. */
import { messagesCount } from "../../../protocols/anthropic-messages/endpoint/count-protocol.ts";
import { nothingUsed } from "../counting.ts";
import type { Endpoint } from "../endpoint.ts";
import { betaHeader, type MessagesFields, readMessages, scanned, versionHeader } from "./messages-fields.ts";

export const countTokens: Endpoint<MessagesFields> = {
  path: "/v1/messages/count_tokens",
  operation: "chat",
  protocol: messagesCount,
  scanned,
  forwardedHeaders: [versionHeader, betaHeader],
  promptField: "messages",
  sessionFields: ["user"],
  droppable: new Set(),
  // What would be charged in an answer is not charged in a count.
  read: (scan, body, { forwarded }) => ({
    ...readMessages(scan, body, forwarded, true),
    apart: [],
    offers: undefined,
  }),
  worstCase: () => nothingUsed,
  promptTokens: () => 0,
};

/** `POST /v1/responses/input_tokens`: how many tokens a request has, counted by an upstream or not at all. */
import { responsesCount } from "../../../protocols/openai-responses/answers/count-protocol.ts";
import { nothingUsed } from "../counting.ts";
import type { Endpoint } from "../endpoint.ts";
import { responses } from "./responses.ts";
import { type ResponsesFields, readResponses } from "./responses-fields.ts";

export const inputTokens: Endpoint<ResponsesFields> = {
  ...responses,
  path: "/v1/responses/input_tokens",
  protocol: responsesCount,
  droppable: new Set(),
  // What would be charged in an answer is not charged in a count; what a call would leave out is not counted.
  read: (scan, body, target) => ({ ...readResponses(scan, body, target), isStream: false, apart: [] }),
  ...(responses.state === undefined
    ? {}
    : { state: { ...responses.state, echo: () => ({}), keep: () => undefined } }),
  worstCase: () => nothingUsed,
  promptTokens: () => 0,
};

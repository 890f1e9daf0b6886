/** `POST /v1/responses`: what is special about it, and nothing that another endpoint does in the same way. */
import {
  openaiResponses,
  openaiResponsesUnstored,
} from "../../../protocols/openai-responses/answers/answers.ts";
import type { Endpoint } from "../endpoint.ts";
import { promptTokens } from "../generation/prompt-tokens.ts";
import { worstCaseOf } from "../generation/worst-case.ts";
import { completedResponse } from "./completed-response.ts";
import { opaqueItems, opaqueSaid } from "./opaque-items.ts";
import { type ResponsesFields, readResponses, scanned } from "./responses-fields.ts";
import { idsIn, inputItems, responseInEvent, writeKept } from "./stored-response.ts";
import { needsState, requireServed, withState } from "./stored-state.ts";

/** The format's own name for a bound of the output. */
const bounds: ReadonlySet<string> = new Set(["max_output_tokens"]);

export const responses: Endpoint<ResponsesFields> = {
  path: "/v1/responses",
  operation: "chat",
  protocol: openaiResponses,
  protocolOf: ({ state }) => (state.store === false ? openaiResponsesUnstored : undefined),
  scanned,
  promptField: "input",
  sessionFields: ["prompt_cache_key", "user"],
  droppable: new Set(["temperature", "top_p", "top_logprobs"]),
  read: readResponses,
  worstCase: (model, price, fields, body) => worstCaseOf(model, price, fields, body, bounds),
  promptTokens,
  opaque: { inRequest: opaqueItems, inAnswer: opaqueSaid },
  state: {
    require: requireServed,
    complete: (fields, body, calling) => (needsState(fields) ? withState(fields, body, calling) : undefined),
    echo: ({ state }, completed, keptMs) => ({
      store: state.store !== false && keptMs > 0,
      previous_response_id: completed?.parentId ?? null,
    }),
    keep({ state, messages }, body, { bytes, lacking, isStream, completed }) {
      if (state.store === false) return undefined;
      const said = isStream ? responseInEvent(bytes) : bytes;
      const response = said && completedResponse(said, lacking);
      const ids = response && idsIn(response);
      if (response === undefined || ids === undefined) return undefined;
      const input = completed?.input ?? inputItems(body, messages);
      return { ...ids, payload: writeKept({ input, response: response.toString() }) };
    },
  },
};

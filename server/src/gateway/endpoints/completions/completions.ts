/** `POST /v1/completions`, the legacy format. Holds only what differs from other endpoints. */
import { withoutNullUsage } from "../../../protocols/openai-chat/answers/null-usage.ts";
import { readUsage } from "../../../protocols/openai-chat/usage.ts";
import { echoedBytes } from "../../../protocols/openai-completions/decode-request.ts";
import { createOpenaiCompletions } from "../../../protocols/openai-completions/openai-completions.ts";
import type { Endpoint } from "../endpoint.ts";
import { samplingParams } from "../generation/parameters.ts";
import { type CompletionFields, choicesOf, readCompletion, scanned } from "./completion-fields.ts";
import { promptTokens, worstCaseOf } from "./worst-case.ts";

const shared = { readUsage, withoutUsage: withoutNullUsage };

export const completions: Endpoint<CompletionFields> = {
  path: "/v1/completions",
  fingerprintMark: "completion\n",
  operation: "completion",
  protocol: createOpenaiCompletions(shared),
  protocolOf(fields) {
    const echoed = echoedBytes(fields, choicesOf(fields));
    return echoed === 0 ? undefined : createOpenaiCompletions(shared, echoed);
  },
  scanned,
  promptField: "prompt",
  sessionFields: ["prompt_cache_key", "user"],
  droppable: new Set(samplingParams),
  read: readCompletion,
  worstCase: (model, _price, fields, body) => worstCaseOf(model, fields, body),
  promptTokens,
};

/** For tests: the test material of the provider `openai` and its presets. */

import type { ProviderTesting } from "../../testing/material.ts";
import { sse } from "../../testing/wire.ts";
import { openaiAnswers } from "../fixtures/answers.ts";
import { presetAnswers } from "../fixtures/preset-answers.ts";
import { presetModels } from "../fixtures/preset-models.ts";
import { presetRequests } from "../fixtures/preset-requests.ts";
import { presetUsage } from "../fixtures/preset-usage.ts";
import { responsesFixtures } from "../fixtures/responses.ts";
import { openaiFaults } from "./faults.ts";
import { openaiParameters } from "./parameters.ts";
import { chatPrices } from "./price-vectors/chat.ts";
import { compatiblePrices } from "./price-vectors/compatible.ts";
import { responsesPrices } from "./price-vectors/responses.ts";
import { openaiReasoning } from "./reasoning.ts";
import { openaiSecrets } from "./secrets.ts";
import { openaiWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures: [
    ...openaiAnswers,
    ...presetAnswers,
    ...presetUsage,
    ...presetRequests,
    ...presetModels,
    ...responsesFixtures,
  ],
  wire: openaiWire,
  faults: openaiFaults,
  overload: [503, "server_is_overloaded"],
  secrets: openaiSecrets,
  parameters: openaiParameters,
  priceSuites: [chatPrices, compatiblePrices, responsesPrices],
  keptReasoning: openaiReasoning,
  measured: {
    model: "gpt-5-mini",
    event: (content) =>
      sse({
        ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "gpt-5-mini" },
        choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
      }),
  },
};

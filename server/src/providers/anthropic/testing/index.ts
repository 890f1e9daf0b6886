/** For tests: the test material of the provider `anthropic`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { namedSse } from "../../testing/wire.ts";
import { answerFixtures } from "../fixtures/answers.ts";
import { errorFixtures } from "../fixtures/errors.ts";
import { requestFixtures } from "../fixtures/requests.ts";
import { streamFixtures } from "../fixtures/streams.ts";
import { anthropicFaults } from "./faults.ts";
import { anthropicParameters } from "./parameters.ts";
import { anthropicPrices } from "./price-vectors.ts";
import { claudeReasoning } from "./reasoning.ts";
import { anthropicSecrets } from "./secrets.ts";
import { anthropicToolTalk } from "./tools.ts";
import { anthropicWire } from "./wire.ts";

export const claudeMeasured: ProviderTesting["measured"] = {
  model: "claude-sonnet-4-5",
  event: (text) =>
    namedSse({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } }),
};

export const testing: ProviderTesting = {
  fixtures: [...answerFixtures, ...streamFixtures, ...requestFixtures, ...errorFixtures],
  wire: anthropicWire,
  endMarks: ["message_stop"],
  faults: anthropicFaults,
  overload: [529, "overloaded_error"],
  secrets: anthropicSecrets,
  toolTalk: anthropicToolTalk,
  parameters: anthropicParameters,
  priceSuites: [anthropicPrices],
  keptReasoning: claudeReasoning,
  measured: claudeMeasured,
};

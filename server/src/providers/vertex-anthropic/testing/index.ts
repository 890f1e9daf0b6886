/** For tests: the test material of the provider `vertex-anthropic`. */

import { claudeMeasured } from "../../anthropic/testing/index.ts";
import { anthropicPrices } from "../../anthropic/testing/price-vectors.ts";
import { claudeReasoning } from "../../anthropic/testing/reasoning.ts";
import { anthropicToolTalk } from "../../anthropic/testing/tools.ts";
import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { vertexAnthropicFaults } from "./faults.ts";
import { vertexAnthropicParameters } from "./parameters.ts";
import { vertexAnthropicSecrets } from "./secrets.ts";
import { vertexAnthropicWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: vertexAnthropicWire,
  endMarks: ["message_stop"],
  faults: vertexAnthropicFaults,
  overload: [529, "overloaded_error"],
  secrets: vertexAnthropicSecrets,
  toolTalk: anthropicToolTalk,
  parameters: vertexAnthropicParameters,
  priceSuites: [anthropicPrices],
  keptReasoning: claudeReasoning,
  measured: claudeMeasured,
};

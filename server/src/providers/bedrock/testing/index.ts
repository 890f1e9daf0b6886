/** For tests: the test material of the provider `bedrock`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { answerFixtures } from "../fixtures/answers.ts";
import { errorFixtures } from "../fixtures/errors.ts";
import { streamFixtures } from "../fixtures/streams.ts";
import { bedrockFaults } from "./faults.ts";
import { bedrockParameters } from "./parameters.ts";
import { bedrockPrices } from "./price-vectors.ts";
import { bedrockReasoning } from "./reasoning.ts";
import { bedrockSecrets } from "./secrets.ts";
import { bedrockToolTalk } from "./tools.ts";
import { bedrockWire, frame } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures: [...answerFixtures, ...streamFixtures, ...errorFixtures],
  wire: bedrockWire,
  endMarks: ["messageStop"],
  faults: bedrockFaults,
  overload: [503, "ServiceUnavailableException"],
  secrets: bedrockSecrets,
  toolTalk: bedrockToolTalk,
  parameters: bedrockParameters,
  priceSuites: [bedrockPrices],
  keptReasoning: bedrockReasoning,
  measured: {
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    event: (text) =>
      frame("event", "contentBlockDelta", {
        contentBlockIndex: 0,
        delta: { text },
        p: "abcdefghijklmnopqrstuvwx",
      }),
  },
};

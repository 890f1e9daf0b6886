/** For tests: the test material of the provider `google`. Its fixtures are built from docs/wire/gemini.md. */

import type { ProviderTesting } from "../../testing/material.ts";
import { sse } from "../../testing/wire.ts";
import { calls } from "../fixtures/calls.ts";
import { faults } from "../fixtures/faults.ts";
import { streams } from "../fixtures/streams.ts";
import { texts } from "../fixtures/texts.ts";
import { googleFaults } from "./faults.ts";
import { googleParameters } from "./parameters.ts";
import { googlePrices } from "./price-vectors.ts";
import { googleReasoning } from "./reasoning.ts";
import { googleSecrets } from "./secrets.ts";
import { googleToolTalk } from "./tools.ts";
import { googleWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures: [...texts, ...calls, ...streams, ...faults],
  wire: googleWire,
  endMarks: ["finishReason", "blockReason"],
  faults: googleFaults,
  overload: [503, "UNAVAILABLE"],
  secrets: googleSecrets,
  toolTalk: googleToolTalk,
  parameters: googleParameters,
  priceSuites: [googlePrices],
  keptReasoning: googleReasoning,
  measured: {
    model: "gemini-3-pro-preview",
    event: (text) =>
      sse({
        candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }],
        usageMetadata: {
          promptTokenCount: 12,
          candidatesTokenCount: 40,
          totalTokenCount: 52,
          promptTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
        },
        modelVersion: "gemini-3-pro",
        responseId: "r",
      }),
  },
};

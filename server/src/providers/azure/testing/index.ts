/** For tests: the test material of the provider `azure`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { sse } from "../../testing/wire.ts";
import { fixtures } from "../fixtures.ts";
import { azureFaults } from "./faults.ts";
import { azureParameters } from "./parameters.ts";
import { azurePrices } from "./price-vectors.ts";
import { azureSecrets } from "./secrets.ts";
import { azureWire } from "./wire.ts";

const safe = {
  hate: { filtered: false, severity: "safe" },
  self_harm: { filtered: false, severity: "safe" },
};

export const testing: ProviderTesting = {
  fixtures,
  wire: azureWire,
  faults: azureFaults,
  overload: [503, "server_is_overloaded"],
  secrets: azureSecrets,
  parameters: azureParameters,
  priceSuites: [azurePrices],
  keptReasoning: [],
  measured: {
    model: "gpt-5-mini",
    event: (content) =>
      sse({
        ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "gpt-5-mini" },
        choices: [
          { index: 0, delta: { content }, logprobs: null, finish_reason: null, content_filter_results: safe },
        ],
      }),
  },
};

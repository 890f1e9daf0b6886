/** For tests: everything suites know of the provider `bedrock`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { bedrockFaults } from "./faults.ts";
import { bedrockParameters } from "./parameters.ts";
import { bedrockSecrets } from "./secrets.ts";
import { bedrockToolTalk } from "./tools.ts";
import { bedrockWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: bedrockWire,
  endMarks: ["messageStop"],
  faults: bedrockFaults,
  overload: [503, "ServiceUnavailableException"],
  secrets: bedrockSecrets,
  toolTalk: bedrockToolTalk,
  parameters: bedrockParameters,
};

/** For tests: everything suites know of the provider `openai` and its presets. */

import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { openaiFaults } from "./faults.ts";
import { openaiParameters } from "./parameters.ts";
import { openaiSecrets } from "./secrets.ts";
import { openaiWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: openaiWire,
  faults: openaiFaults,
  overload: [503, "server_is_overloaded"],
  secrets: openaiSecrets,
  parameters: openaiParameters,
};

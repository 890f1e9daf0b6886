/** For tests: everything suites know of the provider `anthropic`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { anthropicFaults } from "./faults.ts";
import { anthropicParameters } from "./parameters.ts";
import { anthropicSecrets } from "./secrets.ts";
import { anthropicToolTalk } from "./tools.ts";
import { anthropicWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: anthropicWire,
  endMarks: ["message_stop"],
  faults: anthropicFaults,
  overload: [529, "overloaded_error"],
  secrets: anthropicSecrets,
  toolTalk: anthropicToolTalk,
  parameters: anthropicParameters,
};

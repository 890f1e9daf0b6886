/** For tests: everything suites know of the provider `google`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { googleFaults } from "./faults.ts";
import { googleParameters } from "./parameters.ts";
import { googleSecrets } from "./secrets.ts";
import { googleToolTalk } from "./tools.ts";
import { googleWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: googleWire,
  endMarks: ["finishReason", "blockReason"],
  faults: googleFaults,
  overload: [503, "UNAVAILABLE"],
  secrets: googleSecrets,
  toolTalk: googleToolTalk,
  parameters: googleParameters,
};

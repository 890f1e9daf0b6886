/** For tests: everything suites know of the provider `azure`. */

import type { ProviderTesting } from "../../testing/material.ts";
import { fixtures } from "../fixtures.ts";
import { azureFaults } from "./faults.ts";
import { azureParameters } from "./parameters.ts";
import { azureSecrets } from "./secrets.ts";
import { azureWire } from "./wire.ts";

export const testing: ProviderTesting = {
  fixtures,
  wire: azureWire,
  faults: azureFaults,
  overload: [503, "server_is_overloaded"],
  secrets: azureSecrets,
  parameters: azureParameters,
};

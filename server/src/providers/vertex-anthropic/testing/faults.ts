/**
 * Upstream failures of Claude on Vertex AI: Claude's own, and those of Google's front end, which checks a
 * call first.
 */
import { anthropicFaults } from "../../anthropic/testing/faults.ts";
import { secondsToCome } from "../../google/testing/faults.ts";
import { busy, type FaultCause, refusedUs, throttled } from "../../testing/fault-outcomes.ts";

const doorFaults: readonly FaultCause[] = [
  {
    fault: "bad token, Google's words",
    outcome: refusedUs,
    words: [401, "UNAUTHENTICATED", "Request had invalid authentication credentials."],
  },
  {
    fault: "forbidden, Google's words",
    outcome: refusedUs,
    words: [403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource."],
  },
  {
    fault: "throttled, Google's words",
    outcome: throttled(13),
    words: [429, "RESOURCE_EXHAUSTED", "Quota exceeded.", secondsToCome(12.5)],
  },
  { fault: "overloaded, Google's words", outcome: busy, words: [503, "UNAVAILABLE", "Try again."] },
];

export const vertexAnthropicFaults: readonly FaultCause[] = [...anthropicFaults, ...doorFaults];

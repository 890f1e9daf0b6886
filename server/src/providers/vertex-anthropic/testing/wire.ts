/** How the upstream of Claude on Vertex AI writes: as Anthropic, behind Google's door. */
import { anthropicWire } from "../../anthropic/testing/wire.ts";
import { googleWire } from "../../google/testing/wire.ts";
import type { Wire } from "../../testing/wire.ts";

/** What Google's door before Claude says is in Google's words, in capitals. */
const isOfGoogle = (type: string): boolean => /^[A-Z_]+$/.test(type);

/** Claude on Vertex AI: Anthropic's answers behind Google's address and tokens. */
export const vertexAnthropicWire: Wire = {
  ...anthropicWire,
  id: "vertex-anthropic",
  basePath: "/v1/projects/p/locations/us-east5/publishers/anthropic",
  credential: "ya29.a0AfB-0123456789abcdef",
  error: (status, type, text, more) =>
    (isOfGoogle(type) ? googleWire : anthropicWire).error(status, type, text, more),
};

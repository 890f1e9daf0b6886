/** Writes answers as Claude on Vertex AI does: Anthropic's format behind Google's front end. */
import { anthropicWire } from "../../anthropic/testing/wire.ts";
import { googleWire } from "../../google/testing/wire.ts";
import type { Wire } from "../../testing/wire.ts";

/** Errors of Google's front end have types in capital letters. */
const isOfGoogle = (type: string): boolean => /^[A-Z_]+$/.test(type);

/** Claude on Vertex AI: Anthropic's answers at Google's address with Google's tokens. */
export const vertexAnthropicWire: Wire = {
  ...anthropicWire,
  id: "vertex-anthropic",
  basePath: "/v1/projects/p/locations/us-east5/publishers/anthropic",
  credential: "ya29.a0AfB-0123456789abcdef",
  error: (status, type, text, more) =>
    (isOfGoogle(type) ? googleWire : anthropicWire).error(status, type, text, more),
};

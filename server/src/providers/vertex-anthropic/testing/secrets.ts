/** What of Claude on Vertex AI must never be shown: what is Google's, whose errors quote it. */
import { accountKind } from "../../google/testing/secrets.ts";
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const vertexAnthropicSecrets: SecretsMaterial = {
  credentials: [
    { credential: ({ plant }) => `ya29.${plant("credential: vertex-anthropic")}` },
    accountKind("vertex-anthropic"),
  ],
  leaks: [],
  shownType: "invalid_request_error",
};

/** Secrets that Claude on Vertex AI must never show: Google's credentials and texts. */
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

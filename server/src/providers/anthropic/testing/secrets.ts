/** Anthropic's secrets that must never be shown (docs/wire/upstream-errors.md section 5). */
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const anthropicSecrets: SecretsMaterial = {
  credentials: [{ credential: ({ plant }) => `sk-ant-api03-${plant("credential: anthropic")}-AA` }],
  leaks: [{ name: "anthropic key", text: (core) => `invalid x-api-key sk-ant-api03-${core}` }],
  shownType: "invalid_request_error",
};

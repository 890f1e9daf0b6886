/**
 * What of OpenAI and those who speak its protocol must never be shown. What their errors
 * quote is among the canaries of rig P23.
 */
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const openaiSecrets: SecretsMaterial = {
  credentials: [{ credential: ({ plant }) => `sk-proj-${plant("credential: openai")}` }],
  leaks: [],
  shownType: "something_new",
};

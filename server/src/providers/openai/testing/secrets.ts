/**
 * Secrets of OpenAI and compatible services that must never be shown. Texts that their errors quote are
 * canaries in rig P23.
 */
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const openaiSecrets: SecretsMaterial = {
  credentials: [{ credential: ({ plant }) => `sk-proj-${plant("credential: openai")}` }],
  leaks: [],
  shownType: "something_new",
};

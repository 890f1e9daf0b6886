/** Azure's secrets that must never be shown (docs/wire/upstream-errors.md section 5). */
import type { SecretsMaterial } from "../../testing/secrets.ts";

export const azureSecrets: SecretsMaterial = {
  credentials: [
    { credential: ({ plant }) => plant("credential: azure") },
    {
      credential: ({ plant }) => `tenant:client:${plant("credential: azure secret")}`,
      options: (origin) => ({ auth: "entra", authority: origin }),
      exchange: {
        isAsked: (path) => path.includes("oauth2"),
        token: ({ plant }) => plant("token: azure"),
      },
    },
  ],
  leaks: [
    {
      name: "azure host",
      text: (core) => `https://${core.toLowerCase()}.openai.azure.com/openai/deployments/x`,
    },
    { name: "azure key", text: (core) => `api-key: ${core}` },
    { name: "azure resource", text: (core) => `resource '${core}' of subscription '${core}'` },
  ],
  shownType: "BadRequest",
};

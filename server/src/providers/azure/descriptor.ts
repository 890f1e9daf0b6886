/** Descriptor of the provider `azure` (Azure OpenAI and Foundry), readable without loading its code. */
import { message } from "@plaza/contract/messages/message.ts";
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";
import { openaiMedia } from "../media-rules.ts";

export const azureDescriptor: ProviderDescriptor = {
  id: "azure",
  transport: "http",
  mediaRule: openaiMedia,
  needs: {
    baseUrl: true,
    credentials: true,
    identity: true,
    options: {
      apiVersion: {
        help: message("provider.azureApiVersion"),
        pattern: /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|v1|preview|latest)$/,
      },
      auth: { help: message("provider.azureAuth"), pattern: /^(?:key|entra|bearer)$/ },
      authority: {
        help: message("provider.azureAuthority"),
        pattern: /^(?:https:\/\/[A-Za-z0-9.-]+|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?$/,
      },
      scope: {
        help: message("provider.azureScope"),
        pattern: /^https:\/\/[!-~]{1,200}$/,
      },
      [allowOption]: allowRule,
    },
    headers: { credential: ["api-key", "authorization"] },
  },
  pricedAt: [{ host: /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, catalog: "azure" }],
  secrets: [
    { name: "an Azure key (hex)", sample: "ca0a87c0ffee4b1e9d2f3a4b5c6d7e8f" },
    {
      name: "a long Azure key",
      sample: "CANARY7a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZJQQJ99BAACYeBjFXJ3w3AAABACOGcAnA",
    },
    { name: "an Azure host", sample: "canary-resource.openai.azure.com" },
  ],
  service: {
    name: "Azure OpenAI",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlForms: ["https://{resource}.openai.azure.com"],
    origin: { source: "https://learn.microsoft.com/azure/foundry/openai/", date: "2026-11-22" },
  },
  formats: ["openai-chat", "openai-responses"],
  docs: {
    speaks: "OpenAI's chat completions, at Azure's addresses, with Azure's keys and Entra tokens",
    page: "azure.md",
  },
  load: async () => (await import("./azure.ts")).azure,
};

/** The `options` an upstream of Azure's may have. Data only, so that a catalog can be read without Azure's code. */
import type { OptionRule } from "../provider.ts";

export const azureOptions: Readonly<Record<string, OptionRule>> = {
  apiVersion: {
    help: "an API version, like 2024-10-21 or 2025-04-01-preview",
    pattern: /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|v1|preview|latest)$/,
  },
  auth: { help: "key, entra or bearer", pattern: /^(?:key|entra|bearer)$/ },
  authority: {
    help: "the address tokens are asked for at, like https://login.microsoftonline.us",
    pattern: /^(?:https:\/\/[A-Za-z0-9.-]+|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?$/,
  },
  scope: {
    help: "what tokens are asked for, like https://cognitiveservices.azure.us/.default",
    pattern: /^https:\/\/[!-~]{1,200}$/,
  },
};

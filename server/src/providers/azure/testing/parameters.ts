/** How Azure handles each chat parameter: all are passed on unchanged. */
import type { ParameterColumn } from "../../testing/parameters.ts";

const azure = { provider: "azure", model: "m", otherwise: "kept" } as const;

export const azureParameters: readonly ParameterColumn[] = [
  {
    ...azure,
    id: "azure",
    title: "`azure`",
    upstream: { baseUrl: "https://r.openai.azure.com/openai/v1" },
    outcomes: {},
  },
  {
    ...azure,
    id: "azure before 2024-09-01",
    title: "`azure`, versions before 2024-09-01",
    upstream: { baseUrl: "https://r.openai.azure.com", options: { apiVersion: "2024-06-01" } },
    outcomes: { stream_options: "plaza" },
  },
];

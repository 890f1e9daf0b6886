/** Descriptor of the provider `anthropic` (Anthropic's Messages), readable without loading its code. */
import { allowOption, allowRule } from "../charged-apart.ts";
import { beta, type ProviderDescriptor } from "../descriptor.ts";
import { anthropicMedia } from "../media-rules.ts";
import { anthropicListing } from "./listing.ts";

export const anthropicDescriptor: ProviderDescriptor = {
  id: "anthropic",
  transport: "http",
  baseUrl: "https://api.anthropic.com/v1",
  mediaRule: anthropicMedia,
  needs: {
    baseUrl: true,
    credentials: false,
    options: {
      [allowOption]: allowRule,
      beta,
    },
    headers: { credential: ["x-api-key"], protocol: ["anthropic-version", "anthropic-beta"] },
  },
  pricedAt: [{ host: /^api\.anthropic\.com$/, catalog: "anthropic" }],
  secrets: [
    { name: "an Anthropic key", sample: "sk-ant-api03-CANARYa1B2c3D4e5F6-g7H8i9J0_kLmNoPqRs-AA" },
    { name: "an Anthropic request id", sample: "req_011CSCanaryHoU54a2rPqXyZ" },
  ],
  service: {
    name: "Anthropic",
    keyVariables: ["ANTHROPIC_API_KEY"],
    clientKeys: { beginnings: ["sk-ant-"], variables: ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"] },
    origin: { source: "@anthropic-ai/sdk@1.11.0", date: "2026-11-19" },
  },
  listing: anthropicListing,
  formats: ["anthropic-messages"],
  docs: { speaks: "Anthropic's Messages", page: "anthropic.md" },
  load: async () => (await import("./anthropic.ts")).anthropic,
};

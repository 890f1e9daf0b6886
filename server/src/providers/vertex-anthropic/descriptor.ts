/** Descriptor of the provider `vertex-anthropic` (Claude on Vertex AI), readable without loading its code. */
import { message } from "@plaza/contract/messages/message.ts";
import { allowOption, allowRule } from "../charged-apart.ts";
import { beta, type ProviderDescriptor, tokenUri } from "../descriptor.ts";
import { anthropicMedia } from "../media-rules.ts";
import { vertexListing } from "./listing.ts";

export const vertexAnthropicDescriptor: ProviderDescriptor = {
  id: "vertex-anthropic",
  transport: "http",
  mediaRule: anthropicMedia,
  needs: {
    baseUrl: true,
    credentials: true,
    identity: true,
    options: { [allowOption]: allowRule, beta, tokenUri },
    headers: { credential: ["authorization"], protocol: ["anthropic-beta"] },
  },
  // The catalog has the prices of the global address. Regional addresses cost a tenth more
  // (platform.claude.com/docs, Claude on Vertex AI).
  pricedAt: [{ host: /^aiplatform\.googleapis\.com$/, catalog: "vertex" }],
  // Its credentials are Google's; Google's descriptor has their form.
  service: {
    name: "Claude on Google Vertex AI",
    keyVariables: [],
    baseUrlForms: [
      "https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/publishers/anthropic",
      "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/anthropic",
      "https://aiplatform.{area}.rep.googleapis.com/v1/projects/{project}/locations/{area}/publishers/anthropic",
    ],
    origin: { source: "@anthropic-ai/vertex-sdk@1.1.3", date: "2026-11-10" },
    note: message("provider.serviceAccount"),
  },
  listing: vertexListing,
  lacks: ["files by address"],
  formats: ["anthropic-messages"],
  docs: {
    speaks: "Anthropic's Messages, through Vertex AI's rawPredict",
    page: "anthropic.md#provider-vertex-anthropic-claude-on-googles-vertex-ai",
  },
  load: async () => (await import("./vertex-anthropic.ts")).vertexAnthropic,
};

/**
 * What is known of the provider `openai` without loading it: OpenAI's chat completions, at
 * OpenAI and at every compatible service.
 */
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";
import { openaiListing } from "./listing.ts";

export const openaiDescriptor: ProviderDescriptor = {
  id: "openai",
  transport: "http",
  baseUrl: "https://api.openai.com/v1",
  // Servers on one's own machines (vLLM, Ollama, llama.cpp) often take no credential.
  needs: { baseUrl: true, credentials: false, options: { [allowOption]: allowRule } },
  listing: openaiListing,
  docs: {
    speaks: "OpenAI's chat completions, also of every compatible service (presets)",
    page: "openai-compatible.md",
  },
  load: async () => (await import("./openai.ts")).openai,
};

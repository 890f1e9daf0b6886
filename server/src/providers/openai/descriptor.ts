/**
 * Descriptor of the provider `openai` (chat completions, at OpenAI and every compatible service), readable
 * without loading its code.
 */
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";
import { openaiMedia } from "../media-rules.ts";
import { openaiListing } from "./listing.ts";

export const openaiDescriptor: ProviderDescriptor = {
  id: "openai",
  transport: "http",
  isDefault: true,
  baseUrl: "https://api.openai.com/v1",
  mediaRule: openaiMedia,
  // Local servers (vLLM, Ollama, llama.cpp) often need no credential.
  needs: {
    baseUrl: true,
    credentials: false,
    options: { [allowOption]: allowRule },
    headers: { credential: ["authorization"] },
  },
  listing: openaiListing,
  formats: ["openai-chat", "openai-responses"],
  docs: {
    speaks: "OpenAI's chat completions, also of every compatible service (presets)",
    page: "openai-compatible.md",
  },
  load: async () => (await import("./openai.ts")).openai,
};

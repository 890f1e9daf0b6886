/** Descriptor of the provider `demo` (the built-in demo model), readable without loading its code. */
import type { ProviderDescriptor } from "../descriptor.ts";
import { openaiMedia } from "../media-rules.ts";

export const demoDescriptor: ProviderDescriptor = {
  id: "demo",
  transport: "local",
  mediaRule: openaiMedia,
  needs: { baseUrl: false, credentials: false },
  docs: { speaks: "nothing: it answers from the prompt, without a network", page: "../../start/demo.md" },
  load: async () => (await import("./demo.ts")).demo,
};

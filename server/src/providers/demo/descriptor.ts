/** Descriptor of the provider `demo` (the built-in demo model), readable without loading its code. */
import type { ProviderDescriptor } from "../descriptor.ts";

export const demoDescriptor: ProviderDescriptor = {
  id: "demo",
  transport: "local",
  needs: { baseUrl: false, credentials: false },
  docs: { speaks: "nothing: it answers from the prompt, without a network", page: "../../start/demo.md" },
  load: async () => (await import("./demo.ts")).demo,
};

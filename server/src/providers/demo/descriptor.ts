/** What is known of the provider `demo` without loading it: the built-in demo model. */
import type { ProviderDescriptor } from "../descriptor.ts";

export const demoDescriptor: ProviderDescriptor = {
  id: "demo",
  transport: "local",
  needs: { baseUrl: false, credentials: false },
  docs: { speaks: "nothing: it answers from the prompt, without a network", page: "../../start/demo.md" },
  load: async () => (await import("./demo.ts")).demo,
};

/** The providers there are. A new one is one file beside this one and one line here. */
import { demo } from "./demo.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";

export const providers = [openai, demo] as const;

export type ProviderId = (typeof providers)[number]["id"];

/** The provider called `id` in a catalog; undefined when there is none. */
export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}

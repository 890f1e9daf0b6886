/** Descriptor of the provider `example`, readable without loading its code. */
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";
import { openaiMedia } from "../media-rules.ts";
import { exampleListing } from "./listing.ts";

export const exampleDescriptor: ProviderDescriptor = {
  id: "example",
  transport: "http",
  baseUrl: "https://api.example.com/v1",
  mediaRule: openaiMedia,
  needs: {
    baseUrl: true,
    credentials: true,
    options: { [allowOption]: allowRule },
    headers: { credential: ["x-example-key"] },
  },
  lacks: ["tools", "parallel tools", "reasoning", "prompt caching", "images"],
  secrets: [{ name: "a key of Example", sample: "exkey_CANARYa1B2c3D4e5F6g7H8", word: "exkey" }],
  service: {
    name: "Example",
    keyVariables: ["EXAMPLE_API_KEY"],
    origin: { source: "https://docs.example.com/api", date: "2026-11-23" },
  },
  docs: { speaks: "a made-up protocol" },
  listing: exampleListing,
  load: async () => (await import("./example.ts")).example,
};

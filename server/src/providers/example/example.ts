/** The provider `example`: paths and headers of its calls. Must not import the gateway. */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { acceptFor, callHeaders, pathBelow, readHeaders } from "../call-headers.ts";
import type { HttpProvider, SpokenFormat } from "../provider.ts";
import { encodeRequest, exampleDecoder, faultOfExample } from "./protocol.ts";

const keyHeader = (credential: string): string[] => ["x-example-key", credential];

/** Serves chat: translates the caller's request to the example's protocol and its answers back. */
const own: SpokenFormat = {
  format: "own",
  decoder: exampleDecoder,
  encode(conversation, request, upstream, credential, model) {
    const { body, dropped } = encodeRequest(conversation, request, model);
    return {
      path: pathBelow(upstream.baseUrl, "/answers"),
      headers: [...callHeaders(acceptFor(request.isStream)), ...keyHeader(credential)],
      body: Buffer.from(JSON.stringify(body)),
      dropped,
    };
  },
};

export const example: HttpProvider = {
  id: "example",
  transport: "http",
  formats: [own],
  // A free call that shows whether the upstream answers and accepts the credential: its list of models.
  probe: (upstream: Upstream, credential: string) => ({
    path: pathBelow(upstream.baseUrl, "/models"),
    headers: [...readHeaders(), ...keyHeader(credential)],
  }),
  fault: faultOfExample,
};

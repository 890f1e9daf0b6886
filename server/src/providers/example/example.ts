/**
 * The provider `example`: where calls go, and what they carry beside the body. It must not know the gateway.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { decodeRequest } from "../../protocols/openai-chat/decode-request.ts";
import { chatTranslation } from "../../protocols/openai-chat/translation.ts";
import { acceptFor, callHeaders, pathBelow, readHeaders } from "../call-headers.ts";
import type { HttpCodec, HttpProvider } from "../provider.ts";
import { encodeRequest, exampleDecoder, faultOfExample } from "./protocol.ts";

const keyHeader = (credential: string): string[] => ["x-example-key", credential];

/** How it serves chat: the caller's request in its words, and its answers in the caller's. */
const chat: HttpCodec = {
  translation: chatTranslation(exampleDecoder),
  encode(request, upstream, credential, model) {
    const { body, dropped } = encodeRequest(decodeRequest(request.body), request, model);
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
  codecs: { chat },
  // A call that costs nothing and shows whether the upstream answers and takes
  // the credential: its list of models.
  probe: (upstream: Upstream, credential: string) => ({
    path: pathBelow(upstream.baseUrl, "/models"),
    headers: [...readHeaders(), ...keyHeader(credential)],
  }),
  fault: faultOfExample,
};

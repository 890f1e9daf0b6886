/**
 * Azure OpenAI and Foundry, classic deployments and v1: OpenAI's bytes on other paths, with another header
 * for the key, and answers freed of the filter's remarks. It must not know the gateway.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import { acceptFor, callHeaders, readHeaders } from "../call-headers.ts";
import { createAnswerTranslation } from "../openai/adapt-answer.ts";
import { adaptRequest } from "../openai/adapt-request.ts";
import { type BoundName, bodyWith, editsOf } from "../openai/encode.ts";
import type { HttpCodec, HttpProvider, ProbeCall } from "../provider.ts";
import { entraTokens, isEntra } from "./entra.ts";
import { pathOf, probePathOf, rulesOf } from "./routes.ts";

/**
 * docs/wire/azure-openai.md section 2: remarks of the content filter, chunks of nothing else, and heads left
 * empty.
 */
export const filterRemarks = [
  "prompt_filter_results",
  "content_filter_results",
  "content_filter_result",
  "content_filter_offsets",
  "content_filter_raw",
] as const;
const answers = { strips: filterRemarks, tidies: true };

/**
 * What is in the catalog is a key, unless the upstream says otherwise; what is not there was made from it.
 */
function authorization(upstream: Upstream, credential: string): readonly [string, string] {
  const isToken = upstream.options?.["auth"] === "bearer" || !upstream.credentials.includes(credential);
  return isToken ? ["authorization", `Bearer ${credential}`] : ["api-key", credential];
}

const probe = (upstream: Upstream, credential: string): ProbeCall => ({
  path: probePathOf(upstream),
  headers: [...readHeaders(), ...authorization(upstream, credential)],
});

/** The headers of a call. */
const headersFor = (upstream: Upstream, credential: string, isStream: boolean): string[] => [
  ...callHeaders(acceptFor(isStream)),
  ...authorization(upstream, credential),
];

/** The calls of one endpoint, like `chat/completions`. */
export const encodeTo =
  (end: string, bound?: BoundName): HttpCodec["encode"] =>
  (asked, upstream, credential, model) => {
    const { edits, request } = adaptRequest(asked, rulesOf(upstream));
    return {
      path: pathOf(upstream, model, end),
      headers: headersFor(upstream, credential, asked.isStream),
      body: bodyWith(asked.body, [...editsOf(request, upstream, model, bound), ...edits]),
    };
  };

const chat: HttpCodec = {
  translation: createAnswerTranslation(answers),
  encode: encodeTo("chat/completions"),
};

export const azure: HttpProvider = {
  id: "azure",
  transport: "http",
  codecs: { chat },
  tokens: entraTokens,
  forUpstream: (upstream) =>
    // A probe is made with the credential as it is: a secret that has to be
    // exchanged first must not go out so.
    upstream.credentials.some((credential) => isEntra(upstream, credential)) ? azure : { ...azure, probe },
  fault: faultOfAnswer,
};

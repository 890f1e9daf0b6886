/**
 * The provider `azure`: Azure OpenAI and Foundry, classic deployments and v1. Uses OpenAI's format on other
 * paths and with another header for the key, and removes the content filter's annotations from answers. Must
 * not import the gateway.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import { acceptFor, callHeaders, readHeaders } from "../call-headers.ts";
import { bodyWith } from "../named-edits.ts";
import { createAnswerTranslation } from "../openai/adapt-answer.ts";
import { adaptRequest } from "../openai/adapt-request.ts";
import { withoutHints } from "../openai/embeddings.ts";
import { type BoundName, editsOf } from "../openai/encode.ts";
import { formatNeeded, isInResponses } from "../openai/responses/responses-models.ts";
import { speakResponses } from "../openai/responses/speak-responses.ts";
import { speakChat } from "../openai/speak-chat.ts";
import type { HttpCodec, HttpProvider, ProbeCall } from "../provider.ts";
import { entraTokens, isEntra } from "./entra.ts";
import { pathOf, probePathOf, responsesPathOf, rulesOf } from "./routes.ts";

/**
 * docs/wire/azure-openai.md section 2: the content filter's annotations, chunks that hold nothing else, and
 * empty heads.
 */
const filterRemarks = [
  "prompt_filter_results",
  "content_filter_results",
  "content_filter_result",
  "content_filter_offsets",
  "content_filter_raw",
] as const;
const answers = createAnswerTranslation({ strips: filterRemarks, tidies: true });

/**
 * A credential from the catalog is an API key unless the upstream says otherwise; any other was exchanged for
 * a token.
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

/** Encodes the calls of one endpoint, like `chat/completions`. */
const encodeTo =
  (end: string, bound?: BoundName): HttpCodec["encode"] =>
  (asked, upstream, credential, model) => {
    const { edits, request } = adaptRequest(asked, rulesOf(upstream));
    return {
      path: pathOf(upstream, model, end),
      headers: headersFor(upstream, credential, asked.isStream),
      body: bodyWith(asked.body, [...editsOf(request, upstream, model, bound), ...edits]),
    };
  };

/**
 * Legacy completions: under the deployment's path, without the content filter's annotations in answers
 * (docs/wire/azure-openai.md section 2).
 */
export const azureCompletions: HttpCodec = {
  translation: createAnswerTranslation({ strips: filterRemarks }),
  encode: encodeTo("completions", "max_tokens"),
};

/** Embeddings at both APIs: OpenAI's format on Azure's paths. */
export const azureEmbeddings: HttpCodec = withoutHints({ encode: encodeTo("embeddings") });

const chat = speakChat({
  codec: { encode: encodeTo("chat/completions") },
  answers,
  hasOpenaiModels: true,
});

/** A deployment may have any name: where it is not one of OpenAI's, it has to say that it speaks this. */
const responses = speakResponses({
  path: responsesPathOf,
  headers: headersFor,
  sendsWholeResponses: true,
  isSpokenFor: isInResponses,
});

export const azure: HttpProvider = {
  id: "azure",
  transport: "http",
  formats: [chat, responses],
  formatNeeded,
  tokens: entraTokens,
  forUpstream: (upstream) =>
    // A probe sends the credential as it is, so a secret that must be exchanged for a token is not probed.
    upstream.credentials.some((credential) => isEntra(upstream, credential)) ? azure : { ...azure, probe },
  fault: faultOfAnswer,
};

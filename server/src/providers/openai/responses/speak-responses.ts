/**
 * Responses as an upstream's format: its own callers are passed on, conversations of all others are written
 * anew. Nothing is ever stored there.
 */
import type { Upstream } from "@plaza/contract/catalog.ts";
import { responsesDecoder } from "../../../protocols/openai-responses/decode-answer.ts";
import { encodeRequest } from "../../../protocols/openai-responses/encode-request.ts";
import { faultOfResponses } from "../../../protocols/openai-responses/fault.ts";
import { factsOf, type ModelFacts } from "../../../protocols/openai-responses/models.ts";
import { responsesRepair } from "../../../protocols/openai-responses/repair/repair.ts";
import { responsesPayloads } from "../../../protocols/payloads/marks.ts";
import type { SpokenFormat } from "../../provider.ts";
import { headersFor, pathsTo } from "../encode.ts";
import { passResponses, type ResponsesCall } from "../passing-responses.ts";
import { responsesCounter } from "./count-tokens.ts";
import { isInResponses } from "./responses-models.ts";

interface SpokenResponses extends ResponsesCall {
  /** For which models, where the deployment does not say. */
  isSpokenFor(model: string): boolean;
  /** The path that counts a request's tokens. Absent: there is none. */
  readonly countPath?: ResponsesCall["path"];
  /** True where every answer has all that OpenAI's have: its bytes pass. Others are mended. */
  readonly sendsWholeResponses: boolean;
  /** What is known of a model here. */
  readonly facts?: (model: string) => ModelFacts;
}

export function speakResponses({
  path,
  headers,
  isSpokenFor,
  countPath,
  sendsWholeResponses,
  facts = factsOf,
}: SpokenResponses): SpokenFormat {
  return {
    format: "openai-responses",
    decoder: responsesDecoder(facts),
    isSpokenFor,
    leastOutput: (model) => facts(model).outputMin,
    passing: passResponses({ path, headers }, sendsWholeResponses ? undefined : responsesRepair),
    mayPass: (body) => !responsesPayloads.isIn(body),
    fault: faultOfResponses,
    counter: countPath && responsesCounter({ path: countPath, headers }, facts),
    encode(conversation, request, upstream, credential, model) {
      const { body, dropped } = encodeRequest(conversation, request, model, facts(model));
      return {
        path: path(upstream, model),
        headers: headers(upstream, credential, request.isStream),
        body: Buffer.from(JSON.stringify(body)),
        ...(dropped === undefined ? {} : { dropped }),
      };
    },
  };
}

const responsesPath = pathsTo("/responses");

const ownCall: ResponsesCall = {
  path: ({ baseUrl }) => responsesPath(baseUrl),
  headers: (_upstream, credential, isStream) => headersFor(credential, isStream),
};

/** OpenAI's own addresses, of whatever region. */
const ownHost = /^https:\/\/(?:[\w-]+\.)*openai\.com[:/]/i;

/** Servers of open models take earlier thoughts in words, and refuse them in opaque form. */
const openServers = new Set(["vllm", "sglang", "ollama", "lmstudio", "llamacpp"]);
const openFacts = factsOf("gpt-oss");

const countedPath = pathsTo("/responses/input_tokens");
const countPath: ResponsesCall["path"] = ({ baseUrl }) => countedPath(baseUrl);

const whole = { ...ownCall, sendsWholeResponses: true };
const other = { ...ownCall, sendsWholeResponses: false };

/** Of models at OpenAI's own address. */
const ownResponses = speakResponses({ ...whole, countPath, isSpokenFor: isInResponses });
/** Of Grok's models: the chat route is the older one there, and both are kept up. */
const grokResponses = speakResponses({ ...whole, isSpokenFor: (model) => /^grok/i.test(model) });
/** Of everyone else: where a deployment says so. */
const otherResponses = speakResponses({ ...other, countPath, isSpokenFor: () => false });
const openResponses = speakResponses({ ...other, isSpokenFor: () => false, facts: () => openFacts });

/** Responses as this upstream speaks it. */
export function responsesAt({ baseUrl, preset }: Pick<Upstream, "baseUrl" | "preset">): SpokenFormat {
  if (preset === "xai") return grokResponses;
  if (preset !== undefined && openServers.has(preset)) return openResponses;
  return ownHost.test(`${baseUrl}/`) ? ownResponses : otherResponses;
}

/** For tests: upstreams of six kinds. Each writes an answer as docs/wire/ has it, streamed and whole. */
import type { Deployment, Upstream } from "@plaza/contract/catalog.ts";
import { anthropic } from "../../../../providers/anthropic/anthropic.ts";
import { bedrock } from "../../../../providers/bedrock/bedrock.ts";
import { google } from "../../../../providers/google/google.ts";
import { openai } from "../../../../providers/openai/openai.ts";
import type { HttpProvider } from "../../../../providers/provider.ts";
import { testingOf } from "../../../../providers/testing/all.ts";
import { json, namedSse, type Wire } from "../../../../providers/testing/wire.ts";
import { vertexAnthropic } from "../../../../providers/vertex-anthropic/vertex-anthropic.ts";
import { chatStream, chatWhole, responseOf, responsesStream } from "./openai-answers.ts";
import {
  converseStream,
  converseWhole,
  geminiStream,
  geminiWhole,
  messagesStream,
  messagesWhole,
} from "./other-answers.ts";
import type { Answer } from "./talk.ts";

export type UpstreamName = "chat" | "responses" | "messages" | "vertex" | "gemini" | "converse";

export interface PairUpstream {
  readonly name: UpstreamName;
  readonly provider: HttpProvider;
  readonly upstream: Partial<Upstream>;
  readonly deployment: Pick<Deployment, "model" | "formats">;
  readonly streamType: string;
  /** The pieces of a stream; the last ones are its end. */
  stream(answer: Answer): Buffer[];
  whole(answer: Answer): Buffer;
  /** Its "overloaded", as an answer of its own and inside of a stream. */
  readonly overload: { readonly status: number; readonly body: string; readonly inStream: Buffer };
}

function overloadOf(id: string, wire: Wire = testingOf(id).wire): PairUpstream["overload"] {
  const [status, type] = testingOf(id).overload;
  return {
    status,
    body: wire.error(status, type, "Busy."),
    inStream: wire.streamError(status, type, "Busy."),
  };
}

const eventStream = "text/event-stream";
const credentials = ["sk-pair"];

export const pairUpstreams: readonly PairUpstream[] = [
  {
    name: "chat",
    provider: openai,
    upstream: { baseUrl: "https://chat.test/v1", credentials },
    deployment: { model: "m", formats: ["openai-chat"] },
    streamType: eventStream,
    stream: chatStream,
    whole: chatWhole,
    overload: overloadOf("openai"),
  },
  {
    name: "responses",
    provider: openai,
    upstream: { baseUrl: "https://api.openai.com/v1", credentials },
    deployment: { model: "gpt-5.6", formats: ["openai-responses"] },
    streamType: eventStream,
    stream: responsesStream,
    whole: (answer) => Buffer.from(json(responseOf(answer).response)),
    overload: {
      ...overloadOf("openai"),
      inStream: namedSse({
        type: "error",
        ...{ code: "server_is_overloaded", message: "Busy.", param: null },
      }),
    },
  },
  {
    name: "messages",
    provider: anthropic,
    upstream: { baseUrl: "https://api.anthropic.com/v1", credentials },
    deployment: { model: "claude-opus-4-6" },
    streamType: eventStream,
    stream: messagesStream,
    whole: messagesWhole,
    overload: overloadOf("anthropic"),
  },
  {
    name: "vertex",
    provider: vertexAnthropic,
    upstream: {
      baseUrl:
        "https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic",
      credentials,
    },
    deployment: { model: "claude-opus-4-6" },
    streamType: eventStream,
    stream: messagesStream,
    whole: messagesWhole,
    overload: overloadOf("vertex-anthropic"),
  },
  {
    name: "gemini",
    provider: google,
    upstream: { baseUrl: "https://generativelanguage.googleapis.com/v1beta", credentials },
    deployment: { model: "gemini-3-pro-preview" },
    streamType: eventStream,
    stream: geminiStream,
    whole: geminiWhole,
    overload: overloadOf("google"),
  },
  {
    name: "converse",
    provider: bedrock,
    upstream: { credentials, options: { region: "us-east-1" } },
    deployment: { model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
    streamType: "application/vnd.amazon.eventstream",
    stream: converseStream,
    whole: converseWhole,
    overload: overloadOf("bedrock"),
  },
];

/**
 * Checks our translation with the official `@google/genai` package, without the product: it accepts our
 * requests and sends the same bytes, and it reads the answers of our fixtures as we do.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  ApiError,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
} from "@google/genai";
import { callOf } from "../../../server/src/gateway/dispatch/testing/fixture-rig.ts";
import type { GenerateContentRequest } from "../../../server/src/protocols/gemini/wire.ts";
import { google } from "../../../server/src/providers/google/google.ts";
import { testing } from "../../../server/src/providers/google/testing/index.ts";
import type { Fixture } from "../../../server/src/providers/testing/fixture.ts";

interface Seen {
  readonly url: string;
  readonly body: Record<string, unknown>;
}

let seen: Seen | undefined;
let answer: { status: number; type: string; bytes: Buffer };
let origin: string;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    seen = { url: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) as Seen["body"] };
    response.writeHead(answer.status, { "content-type": answer.type }).end(answer.bytes);
  });
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const isVertex = ({ upstream }: Fixture): boolean => upstream?.baseUrl?.includes("aiplatform") === true;

/** A client of Google's that talks to the server here. */
function clientFor(fixture: Fixture): GoogleGenAI {
  const httpOptions = { baseUrl: origin, retryOptions: { attempts: 1 } };
  return isVertex(fixture)
    ? new GoogleGenAI({ vertexai: true, apiKey: "AIzaTest", httpOptions })
    : new GoogleGenAI({ apiKey: "AIzaTest", httpOptions });
}

/** Our body as the SDK's own parameters. Its types know every field of it. */
function parametersOf(model: string, body: GenerateContentRequest): GenerateContentParameters {
  const { contents, generationConfig, ...rest } = body;
  const { toolConfig, tools, safetySettings, serviceTier, systemInstruction } = rest;
  return {
    model,
    contents: contents as GenerateContentParameters["contents"],
    config: {
      ...(generationConfig as GenerateContentParameters["config"]),
      ...({
        toolConfig,
        tools,
        safetySettings,
        serviceTier,
        systemInstruction,
      } as GenerateContentParameters["config"]),
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  } satisfies GenerateContentParameters;
}

const bytesOf = (given: Fixture["answer"]): Buffer => {
  if (Buffer.isBuffer(given)) return given;
  return Buffer.from(typeof given === "string" ? given : JSON.stringify(given));
};

/** What the SDK makes of a fixture's answer. */
async function played(fixture: Fixture): Promise<GenerateContentResponse[]> {
  const isStream = fixture.request["stream"] === true;
  const status = fixture.status ?? 200;
  const type = fixture.headers?.["content-type"] ?? (isStream ? "text/event-stream" : "application/json");
  answer = { status, type, bytes: bytesOf(fixture.answer) };
  const sent = JSON.parse(callOf(google, fixture).body.toString()) as GenerateContentRequest;
  const parameters = parametersOf(fixture.model, sent);
  const { models } = clientFor(fixture);
  if (!isStream) return [await models.generateContent(parameters)];
  const responses: GenerateContentResponse[] = [];
  for await (const response of await models.generateContentStream(parameters)) responses.push(response);
  return responses;
}

interface Read {
  text: string;
  reasoning: string;
  calls: { name: string | undefined; arguments: unknown }[];
  reasons: string[];
}

/** The first candidate, as the SDK shows it. */
function readOf(responses: readonly GenerateContentResponse[]): Read {
  const read: Read = { text: "", reasoning: "", calls: [], reasons: [] };
  for (const { candidates } of responses) {
    const candidate = candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) {
      if (part.functionCall !== undefined) {
        read.calls.push({ name: part.functionCall.name, arguments: part.functionCall.args ?? {} });
      } else if (part.thought === true) read.reasoning += part.text ?? "";
      else read.text += part.text ?? "";
    }
    if (candidate?.finishReason !== undefined) read.reasons.push(candidate.finishReason);
  }
  return read;
}

/** Parts of an answer that the SDK cannot read or represents differently. */
const ours = /nobody knows|over several lines|code the model ran|one call only/;

const { fixtures } = testing;
const sendable = fixtures.filter(({ status = 200 }) => status === 200);

describe("what we send is what the SDK sends for the same parameters", () => {
  for (const fixture of sendable) {
    test(fixture.name, async () => {
      seen = undefined;
      await played(fixture).catch(() => {});
      const call = callOf(google, fixture);
      assert.ok(seen !== undefined, "the SDK took the parameters");
      const { url, body } = seen as Seen;
      // The SDK also sends a configuration that says nothing.
      assert.deepEqual(
        { generationConfig: {}, ...body },
        { generationConfig: {}, ...JSON.parse(call.body.toString()) },
      );
      const tail = (path: string): string => path.slice(path.indexOf("/models/"));
      assert.equal(tail(url), tail(call.path));
    });
  }
});

describe("the SDK reads the fixtures' answers as we do", () => {
  const readable = sendable.filter(({ expected, name }) => expected.fault === undefined && !ours.test(name));
  for (const fixture of readable) {
    test(fixture.name, async () => {
      const read = readOf(await played(fixture));
      const { text, reasoning, toolCalls } = fixture.expected;
      if (text !== undefined) assert.equal(read.text, text);
      if (reasoning !== undefined) assert.equal(read.reasoning, reasoning);
      if (toolCalls !== undefined) {
        const named = toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given }));
        assert.deepEqual(read.calls, named);
      }
    });
  }
});

describe("the SDK takes the errors for errors", () => {
  const errors = fixtures.filter(({ kind, answer: given }) => kind === "error" && typeof given === "object");
  for (const fixture of errors) {
    test(fixture.name, async () => {
      await assert.rejects(played(fixture), (error: Error) => {
        assert.ok(error instanceof ApiError, String(error));
        assert.equal(error.status, fixture.status);
        return true;
      });
    });
  }
});

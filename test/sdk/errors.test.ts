/**
 * Every error of the catalogue, as an answer and in the middle of a stream, through each SDK's
 * own exception classes, against `error-table.ts`. The errors are the product's own bytes,
 * sent by a server that counts the calls.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { wireError, wireErrorEvent } from "@plaza/contract/error-wire.ts";
import { defaultMessage, type ErrorCode, errorCatalogue, GatewayError } from "@plaza/contract/errors.ts";
import { textOf } from "@plaza/contract/messages/message.ts";
import { APICallError, generateText, RetryError, streamText } from "ai";
import OpenAI, { APIError } from "openai";
import { expectedErrors, generalClass, generalClassOfPython } from "./error-table.ts";
import { whyNoPython } from "./python.ts";
import { callFromPython, type PythonCase, type PythonSdk } from "./python-calls.ts";

const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** How often each `SDK/code/form` was called. */
const calls = new Map<string, number>();
let server: Server;
let origin = "";

const chunk =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":null}]}\n\n';

function refuse(res: ServerResponse, error: GatewayError): void {
  const { status, body, headers } = wireError(error);
  const type = ["content-type", "application/json; charset=utf-8", "content-length", String(body.length)];
  res.writeHead(status, ["x-request-id", "req_1", ...type, ...headers]);
  res.end(body);
}

before(async () => {
  server = createServer((req, res) => {
    const [, sdk = "", code = "", form = ""] = (req.url ?? "").split("/");
    const name = `${sdk}/${code}/${form}`;
    calls.set(name, (calls.get(name) ?? 0) + 1);
    req.resume();
    const error = new GatewayError(code as ErrorCode);
    if (form === "whole") return refuse(res, error);
    res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    res.end(Buffer.concat([Buffer.from(chunk), wireErrorEvent(error)]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server?.close());

const baseUrl = (sdk: string, code: ErrorCode, form: "whole" | "stream"): string =>
  `${origin}/${sdk}/${code}/${form}`;
const wasRetried = (sdk: string, code: ErrorCode): boolean => (calls.get(`${sdk}/${code}/whole`) ?? 0) > 1;

async function refusalOf(call: PromiseLike<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await call;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  assert.fail("the call should have been refused");
}

const ask = { model: "m", messages: [{ role: "user" as const, content: "Hello, Plaza!" }] };
const all = { concurrency: true };

test("the table has every error of the catalogue, with its status", () => {
  for (const code of codes) assert.equal(expectedErrors[code].status, errorCatalogue[code].status, code);
});

describe("openai of npm", all, () => {
  const client = (code: ErrorCode, form: "whole" | "stream"): OpenAI =>
    new OpenAI({ baseURL: baseUrl("openai-node", code, form), apiKey: "k", maxRetries: 1 });
  for (const code of codes) {
    test(code, async () => {
      const error = await refusalOf(client(code, "whole").chat.completions.create(ask));
      const expected = expectedErrors[code];
      assert.equal(error.constructor.name, expected.openai);
      assert.ok(error instanceof APIError);
      assert.deepEqual(
        [error.status, error.code, error.type],
        [expected.status, code, errorCatalogue[code].type],
      );
      assert.equal(wasRetried("openai-node", code), expected.isRetried);
    });
    test(`${code} in a stream`, async () => {
      const stream = await client(code, "stream").chat.completions.create({ ...ask, stream: true });
      const error = await refusalOf(
        (async () => {
          for await (const _ of stream);
        })(),
      );
      assert.ok(error instanceof APIError);
      assert.equal(error.code, code);
    });
  }
});

describe("LangChain for JavaScript", all, () => {
  const model = (code: ErrorCode, form: "whole" | "stream"): ChatOpenAI =>
    new ChatOpenAI({
      model: "m",
      apiKey: "k",
      maxRetries: 1,
      useResponsesApi: false,
      configuration: { baseURL: baseUrl("langchain-js", code, form) },
    });
  for (const code of codes) {
    test(code, async () => {
      const error = await refusalOf(model(code, "whole").invoke("hello"));
      const expected = expectedErrors[code];
      const name = [error.constructor.name, error["lc_error_code"]]
        .filter((part) => part !== undefined)
        .join(" ");
      assert.equal(name, expected.langchainJs);
      const cause = (error["status"] === undefined ? error.cause : error) as Record<string, unknown>;
      assert.deepEqual([cause["status"], cause["code"]], [expected.status, code]);
      assert.equal(wasRetried("langchain-js", code), expected.isRetriedByLangchainJs);
    });
    test(`${code} in a stream`, async () => {
      const error = await refusalOf(
        (async () => {
          for await (const _ of await model(code, "stream").stream("hello"));
        })(),
      );
      assert.ok(error.message.includes(textOf(defaultMessage(code))), error.message);
    });
  }
});

describe("the AI SDK", all, () => {
  const model = (code: ErrorCode, form: "whole" | "stream") =>
    createOpenAICompatible({ name: "plaza", baseURL: baseUrl("ai-sdk", code, form), apiKey: "k" })("m");
  for (const code of codes) {
    test(code, async () => {
      const thrown = await refusalOf(
        generateText({ model: model(code, "whole"), prompt: "hello", maxRetries: 1 }),
      );
      const expected = expectedErrors[code];
      const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
      assert.ok(APICallError.isInstance(error));
      assert.equal(error.statusCode, expected.status);
      assert.equal(error.isRetryable, expected.isRetriedByAiSdk);
      assert.equal(error.message, textOf(defaultMessage(code)));
      assert.equal(wasRetried("ai-sdk", code), expected.isRetriedByAiSdk);
    });
    test(`${code} in a stream`, async () => {
      const errors: unknown[] = [];
      const stream = streamText({
        model: model(code, "stream"),
        prompt: "hello",
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });
      await stream.consumeStream();
      assert.equal(errors.length, 1);
    });
  }
});

/** What Python's class is called for one of the table's. */
const inPython = (name: string): string => (name === generalClass ? generalClassOfPython : name);

const pythons: readonly {
  readonly requirements: string;
  readonly sdks: Partial<Readonly<Record<PythonSdk, (code: ErrorCode) => string>>>;
}[] = [
  {
    requirements: "requirements-openai.txt",
    sdks: { openai: (code) => inPython(expectedErrors[code].openai) },
  },
  {
    requirements: "requirements-frameworks.txt",
    sdks: {
      openai: (code) => inPython(expectedErrors[code].openai),
      litellm: (code) => expectedErrors[code].litellm,
      langchain: (code) => expectedErrors[code].langchain,
    },
  },
];

describe("Python", all, () => {
  for (const { requirements, sdks } of pythons) {
    const names = Object.keys(sdks) as PythonSdk[];
    // One process for all SDKs of an environment: to load them takes longer than to call.
    test(`${names.join(", ")} of PyPI (${requirements})`, { skip: whyNoPython }, async () => {
      const server = (sdk: PythonSdk): string => `${sdk}-${requirements}`;
      const cases: PythonCase[] = names.flatMap((sdk) =>
        codes.flatMap((code) => [
          { sdk, baseUrl: baseUrl(server(sdk), code, "whole"), key: "k", model: "m", isStream: false },
          { sdk, baseUrl: baseUrl(server(sdk), code, "stream"), key: "k", model: "m", isStream: true },
        ]),
      );
      const outcomes = await callFromPython(requirements, cases);
      const wrong: string[] = [];
      for (const [place, sdk] of names.entries()) {
        for (const [index, code] of codes.entries()) {
          const expected = expectedErrors[code];
          const at = (place * codes.length + index) * 2;
          const [whole, stream] = [outcomes[at], outcomes[at + 1]];
          const seen = [whole?.class, whole?.status, wasRetried(server(sdk), code)].join(" ");
          const wanted = [sdks[sdk]?.(code), expected.status, expected.isRetried].join(" ");
          if (seen !== wanted) wrong.push(`${sdk}, ${code}: ${seen}, not ${wanted}`);
          if (!stream?.message.includes(textOf(defaultMessage(code))))
            wrong.push(`${sdk}, ${code} in a stream: ${stream?.message}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});

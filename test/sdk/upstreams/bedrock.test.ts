/**
 * Compares Plaza with Bedrock's official SDK: its body, its signature, and how it reads the streams of our
 * fixtures.
 */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, describe, test } from "node:test";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import { requestOf, upstreamOf } from "../../../server/src/gateway/dispatch/testing/fixture-rig.ts";
import { createFrameReader } from "../../../server/src/protocols/bedrock-converse/frames.ts";
import { bedrock } from "../../../server/src/providers/bedrock/bedrock.ts";
import { answer, models, stream, text } from "../../../server/src/providers/bedrock/fixtures/build.ts";
import { testing } from "../../../server/src/providers/bedrock/testing/index.ts";
import { translatedChat } from "../../../server/src/providers/testing/translated-chat.ts";
import { type MockBedrock, startMockBedrock } from "./bedrock-rig.ts";

let mock: MockBedrock;
before(async () => {
  mock = await startMockBedrock();
});
after(() => mock?.stop());

const region = "eu-north-1";
const keys = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};

interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly hostname: string;
  readonly port?: number;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array | string;
}

/** The SDK speaks HTTP/2 by itself; Plaza does not, and neither does the mock. */
const requestHandler = {
  handle: ({ method, path, hostname, port, headers, body }: SdkRequest) =>
    new Promise<{ response: object }>((resolve, reject) => {
      const sent = httpRequest({ method, path, hostname, port, headers, agent: false }, (response) => {
        const { statusCode, headers: given } = response;
        resolve({ response: { statusCode, headers: given, body: response } });
      });
      sent.on("error", reject);
      sent.end(body);
    }),
};

function clientWith(sessionToken?: string): BedrockRuntimeClient {
  const credentials = { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const client = new BedrockRuntimeClient({
    region,
    endpoint: mock.origin,
    credentials,
    maxAttempts: 1,
    requestHandler: requestHandler as never,
  });
  // Its own headers of bookkeeping would be signed too: only those we send stay.
  client.middlewareStack.addRelativeTo(
    ((next: (args: { request: unknown }) => unknown) => (args: { request: unknown }) => {
      const request = args.request as { headers: Record<string, string> };
      const { host = "", "content-type": type = "" } = request.headers;
      request.headers = { host: host || new URL(mock.origin).host, "content-type": type };
      return next(args);
    }) as never,
    { relation: "before", toMiddleware: "httpSigningMiddleware", name: "onlyOurHeaders" },
  );
  return client;
}

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** One request in the caller's words. */
const chat = {
  model: "m",
  max_tokens: 3_000,
  temperature: 0.25,
  stop: ["END"],
  tools: [{ type: "function", function: { name: "weather", description: "Looks out", parameters: schema } }],
  tool_choice: "required",
  top_k: 9,
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this? é 🎉", cache_control: { type: "ephemeral" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
      ],
    },
    {
      role: "assistant",
      content: "Let me see",
      tool_calls: [
        { id: "t1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: "tool", tool_call_id: "t1", content: "rain" },
  ],
};

/** And in the SDK's. */
const command = {
  modelId: models.budget,
  system: [{ text: "Be brief." }],
  messages: [
    {
      role: "user",
      content: [
        { text: "What is this? é 🎉" },
        { cachePoint: { type: "default" } },
        { image: { format: "png", source: { bytes: Buffer.from("iVBORw0KGgo=", "base64") } } },
        { document: { format: "pdf", name: "a", source: { bytes: Buffer.from("JVBERi0=", "base64") } } },
      ],
    },
    {
      role: "assistant",
      content: [
        { text: "Let me see" },
        { toolUse: { toolUseId: "t1", name: "weather", input: { city: "Oslo" } } },
      ],
    },
    { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "rain" }] } }] },
  ],
  inferenceConfig: { maxTokens: 3_000, temperature: 0.25, stopSequences: ["END"] },
  toolConfig: {
    tools: [{ toolSpec: { name: "weather", description: "Looks out", inputSchema: { json: schema } } }],
    toolChoice: { any: {} },
  },
  additionalModelRequestFields: { top_k: 9 },
} satisfies ConverseCommandInput;

describe("what we send", () => {
  for (const token of [undefined, "temporary/token+=="]) {
    test(`path, body and signature are the SDK's own, ${token === undefined ? "long-lived" : "temporary"} keys`, async () => {
      mock.answerWith({ body: answer([{ text: "Hi" }]) });
      await clientWith(token).send(new ConverseCommand(command));
      const [theirs] = mock.calls;
      assert.ok(theirs !== undefined);
      const upstream = upstreamOf(bedrock, { baseUrl: mock.origin, options: { region } });
      const credential = [
        keys.accessKeyId,
        keys.secretAccessKey,
        ...(token === undefined ? [] : [token]),
      ].join(":");
      const ours = translatedChat(bedrock).encode(requestOf(chat), upstream, credential, models.budget);
      assert.equal(ours.path, theirs.path);
      assert.deepEqual(JSON.parse(ours.body.toString()), JSON.parse(theirs.body.toString()));
      const at = String(theirs.headers["x-amz-date"]).replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
        "$1-$2-$3T$4:$5:$6Z",
      );
      const signed = await bedrock.sign({ ...ours, body: theirs.body }, upstream, credential, Date.parse(at));
      const header = (name: string): string | undefined => signed.headers[signed.headers.indexOf(name) + 1];
      for (const name of ["authorization", "x-amz-date", "x-amz-content-sha256"]) {
        assert.equal(header(name), theirs.headers[name], name);
      }
      if (token !== undefined) assert.equal(header("x-amz-security-token"), token);
    });
  }
});

/** The SDK's event: its name and what it holds, in plain JSON. */
function plainEvent(event: ConverseStreamOutput): unknown {
  return JSON.parse(
    JSON.stringify(event, (_key, value: unknown) => {
      const isBytes =
        typeof value === "object" && value !== null && (value as { type?: unknown }).type === "Buffer";
      if (isBytes) return Buffer.from((value as { data: number[] }).data).toString("base64");
      return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
    }),
  );
}

/** The same by our frames, without padding. Only events the SDK knows. */
function ourEvents(bytes: Buffer): unknown[] {
  const events: unknown[] = [];
  const reader = createFrameReader(({ headers, payload }) => {
    const { p: _, ...rest } = JSON.parse(payload.toString() || "{}") as Record<string, unknown>;
    events.push({ [headers[":event-type"] ?? ""]: rest });
  });
  assert.equal(reader.push(bytes), true);
  return events;
}

describe("what we read", () => {
  const known = /^stream: (?!unknown|a tool of Bedrock|bytes after|nothing|cut|usage that|a large)/;
  for (const fixture of testing.fixtures.filter(
    ({ name, answer: body }) => known.test(name) && Buffer.isBuffer(body),
  )) {
    test(`the SDK reads the same events: ${fixture.name}`, async () => {
      const bytes = fixture.answer as Buffer;
      mock.answerWith({ body: bytes });
      const answered = await clientWith().send(new ConverseStreamCommand({ modelId: "m", messages: [] }));
      const theirs: unknown[] = [];
      for await (const event of answered.stream ?? []) theirs.push(plainEvent(event));
      assert.deepEqual(theirs, ourEvents(bytes));
    });
  }

  for (const fixture of testing.fixtures.filter(({ name }) => /^exception first: (?!something)/.test(name))) {
    test(`the SDK reads an exception: ${fixture.name}`, async () => {
      mock.answerWith({ body: fixture.answer as Buffer });
      const type = /: (\w+)/.exec(fixture.name)?.[1] ?? "";
      await assert.rejects(
        async () => {
          const answered = await clientWith().send(new ConverseStreamCommand({ modelId: "m", messages: [] }));
          for await (const _ of answered.stream ?? []);
        },
        (error: Error) => error.name.toLowerCase() === type.toLowerCase(),
      );
    });
  }

  for (const fixture of testing.fixtures.filter(({ name }) =>
    /^whole: (?!JSON that|an exception|no usage)/.test(name),
  )) {
    test(`the SDK reads the same answer: ${fixture.name}`, async () => {
      mock.answerWith({ body: fixture.answer });
      const read = await clientWith().send(new ConverseCommand({ modelId: "m", messages: [] }));
      const { stopReason, usage } = fixture.answer as { stopReason: string; usage: object };
      assert.equal(read.stopReason, stopReason);
      assert.deepEqual({ ...read.usage }, usage);
      const given = fixture.answer as { output: { message: { content: Record<string, unknown>[] } } };
      const texts = given.output.message.content.flatMap((block) =>
        typeof block["text"] === "string" ? [block["text"]] : [],
      );
      assert.deepEqual(
        (read.output?.message?.content ?? []).flatMap((block) =>
          block.text === undefined ? [] : [block.text],
        ),
        texts,
      );
    });
  }
});

test("the SDK, pointed at a stream whose checksum is wrong, fails as we do", async () => {
  const bytes = stream("end_turn", text("lost"));
  bytes[bytes.length - 300] = (bytes[bytes.length - 300] ?? 0) ^ 1;
  mock.answerWith({ body: bytes });
  const answered = await clientWith().send(new ConverseStreamCommand({ modelId: "m", messages: [] }));
  await assert.rejects(async () => {
    for await (const _ of answered.stream ?? []);
  });
  assert.equal(createFrameReader(() => {}).push(bytes), false);
});

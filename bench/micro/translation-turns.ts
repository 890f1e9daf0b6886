/**
 * The longest event loop turn while one large call is served: P26's bodies for every pair of a caller's
 * format and an upstream's, then large answers. The gateway has the main thread; upstream and caller share
 * another one, so that neither is measured. CPU time of the main thread, and wall time, in milliseconds, of
 * the best of several rounds. Run: node bench/micro/translation-turns.ts [part of a case's name]
 */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { modelOn, startApp, upstreamAt } from "../../test/behaviour/harness/app-in-process.ts";
import { spokenName } from "../../test/rigs/harness/catalog.ts";
import { type EndpointName, endpointNames, pathOf } from "../../test/rigs/harness/endpoints.ts";
import { largeFormatCases, oddFormatCases } from "../../test/rigs/security/hostile/format-cases.ts";
import { posted } from "../../test/rigs/security/p26-case.ts";
import { watchTurns } from "../measure/turns.ts";

const rounds = 3;
const mebibyte = 1024 * 1024;

interface Call {
  readonly port: number;
  /** A whole HTTP request. */
  readonly bytes: Uint8Array;
}

interface Answered {
  readonly status: string;
  readonly bytes: number;
  readonly ms: number;
}

type Body = Readonly<Record<string, unknown>>;

const text = "y".repeat(20 * mebibyte);
const image = "A".repeat(20 * mebibyte);
const words = "one two three ".repeat(20_000);

/** Whole answers as each format writes them: by the content of the model's name. */
const answers: Readonly<Record<EndpointName, Readonly<Record<string, () => Body>>>> = {
  chat: {
    short: () => chatAnswer({ content: "hi" }),
    text: () => chatAnswer({ content: text }),
    image: () =>
      chatAnswer({ content: "", images: [{ image_url: { url: `data:image/png;base64,${image}` } }] }),
    calls: () =>
      chatAnswer({
        content: null,
        tool_calls: Array.from({ length: 20_000 }, (_, index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name: "f", arguments: `{"at":${index}}` },
        })),
      }),
  },
  responses: {
    short: () => responsesAnswer([{ type: "output_text", text: "hi", annotations: [] }]),
    text: () => responsesAnswer([{ type: "output_text", text, annotations: [] }]),
    image: () => responsesAnswer([{ type: "output_text", text: words, annotations: [] }]),
    calls: () => responsesAnswer(manyParts((part) => ({ type: "output_text", text: part, annotations: [] }))),
  },
  messages: {
    short: () => messagesAnswer([{ type: "text", text: "hi" }]),
    text: () => messagesAnswer([{ type: "text", text }]),
    image: () => messagesAnswer([{ type: "text", text: words }]),
    calls: () =>
      messagesAnswer(
        Array.from({ length: 20_000 }, (_, index) => ({
          type: "tool_use",
          id: `toolu_${index}`,
          name: "f",
          input: { at: index },
        })),
      ),
  },
  gemini: {
    short: () => geminiAnswer([{ text: "hi" }]),
    text: () => geminiAnswer([{ text }]),
    image: () => geminiAnswer([{ inlineData: { mimeType: "image/png", data: image } }]),
    calls: () => geminiAnswer(manyParts((part) => ({ text: part }))),
  },
};

function manyParts<Part>(make: (part: string) => Part): Part[] {
  return Array.from({ length: 20_000 }, (_, index) => make(`part ${index} `));
}

const chatAnswer = (message: Body): Body => ({
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
});
const responsesAnswer = (content: readonly Body[]): Body => ({
  id: "r",
  object: "response",
  status: "completed",
  model: "m",
  output: [{ type: "message", id: "m", status: "completed", role: "assistant", content }],
  usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
});
const messagesAnswer = (content: readonly Body[]): Body => ({
  id: "m",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 5 },
});
const geminiAnswer = (parts: readonly Body[]): Body => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
});

const contents = ["short", "text", "image", "calls"] as const;

/** Answers by the address: `/CONTENT/…`, in the format that the rest of it belongs to. */
function startUpstream(): Promise<string> {
  const made = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    request.resume();
    await new Promise((resolve) => request.on("end", resolve));
    const path = request.url ?? "";
    const format: EndpointName = path.includes("/chat/")
      ? "chat"
      : path.includes("/responses")
        ? "responses"
        : path.includes("/messages")
          ? "messages"
          : "gemini";
    const content = path.split("/")[1] ?? "short";
    const id = `${format} ${content}`;
    const body = made.get(id) ?? Buffer.from(JSON.stringify(answers[format][content]?.()));
    made.set(id, body);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function call({ port, bytes }: Call): Promise<Answered> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let first: Buffer | undefined;
    let length = 0;
    socket.on("data", (chunk) => {
      first ??= chunk;
      length += chunk.length;
    });
    socket.on("error", () => {});
    socket.on("close", () =>
      resolve({
        status: first?.toString("latin1", 9, 12) ?? "none",
        bytes: length,
        ms: performance.now() - startedMs,
      }),
    );
    socket.write(bytes);
  });
}

const joined = (pieces: readonly { readonly bytes: Buffer }[]): Buffer =>
  Buffer.concat(pieces.map(({ bytes }) => bytes));

/** A small request for a large answer. */
function asks(endpoint: EndpointName, model: string): Body {
  const message = { role: "user", content: "x" };
  if (endpoint === "responses") return { model, input: "x", store: false };
  if (endpoint === "gemini") return { contents: [{ role: "user", parts: [{ text: "x" }] }] };
  return { model, messages: [message], max_tokens: 9 };
}

interface Case {
  readonly name: string;
  readonly pieces: (key: string) => readonly { readonly bytes: Buffer }[];
}

const answerCases = (): Case[] =>
  contents.slice(1).flatMap((content) =>
    endpointNames.flatMap((endpoint) =>
      endpointNames.map((spoken) => {
        const model = spokenName(`answers-${content}`, spoken);
        const path = pathOf(endpoint, { model, isStream: false });
        return {
          name: `${endpoint} of ${spoken}: answers with ${content}`,
          pieces: (key: string) => posted(JSON.stringify(asks(endpoint, model)), { path })(key),
        };
      }),
    ),
  );

async function measure(worker: Worker, origin: string): Promise<void> {
  const told = {
    chat: { provider: "openai", base: "/v1" },
    responses: { provider: "openai", base: "/v1" },
    messages: { provider: "anthropic", base: "/v1" },
    gemini: { provider: "google", base: "/v1beta" },
  } as const;
  const app = await startApp({
    catalog: {
      upstreams: contents.flatMap((content) =>
        endpointNames.map((spoken) =>
          upstreamAt(`${content}-${spoken}`, `${origin}/${content}${told[spoken].base}`, {
            provider: told[spoken].provider,
          }),
        ),
      ),
      models: contents.flatMap((content) =>
        endpointNames.map((spoken) => {
          const id = spokenName(content === "short" ? "rig-model" : `answers-${content}`, spoken);
          const deployment = { upstream: `${content}-${spoken}`, model: "m", priority: 1, weight: 1 };
          const formats = spoken === "responses" ? { formats: ["openai-responses"] as const } : {};
          return modelOn(id, [], { deployments: [{ ...deployment, ...formats }] });
        }),
      ),
      limits: {},
    },
  });
  const { key } = await app.newAccount("100000");
  const port = Number(new URL(app.origin).port);
  const ask = (bytes: Uint8Array): Promise<Answered> =>
    new Promise((resolve) => {
      worker.once("message", resolve);
      worker.postMessage({ port, bytes } satisfies Call);
    });
  const part = process.argv[2] ?? "";
  const cases = [...largeFormatCases(), ...oddFormatCases(), ...answerCases()].filter(({ name }) =>
    name.includes(part),
  );
  for (const { name, pieces } of cases) {
    const bytes = joined(pieces(key));
    let best = { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
    let last: Answered | undefined;
    for (let round = 0; round < rounds; round += 1) {
      const asking = ask(bytes);
      const stop = watchTurns();
      last = await asking;
      const seen = stop();
      if (seen.cpuMs < best.cpuMs) best = seen;
    }
    const { status, bytes: length, ms } = last as Answered;
    process.stdout.write(
      `${best.cpuMs.toFixed(1).padStart(6)} ms CPU ${best.wallMs.toFixed(1).padStart(6)} ms wall  ${name}; ` +
        `${status}, ${length} bytes in ${ms.toFixed(0)} ms\n`,
    );
  }
  await app.stop();
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { workerData: "upstream" });
  worker.once("message", (origin: string) => {
    void measure(worker, origin).finally(() => worker.terminate());
  });
} else if (workerData === "upstream" && parentPort !== null) {
  const port = parentPort;
  port.on("message", (asked: Call) => void call(asked).then((answered) => port.postMessage(answered)));
  port.postMessage(await startUpstream());
}

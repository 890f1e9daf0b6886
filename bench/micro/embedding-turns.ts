/**
 * The longest event loop turn while one batch of embeddings is processed: 2,048 inputs of 3,072 numbers each,
 * over real HTTP. The gateway has the main thread; upstream and caller share another one, so that neither is
 * measured. Wall time and the thread's CPU time, in milliseconds, of the best of several rounds. Run: node
 * bench/micro/embedding-turns.ts
 */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { modelOn, startApp, upstreamAt } from "../../test/behaviour/harness/app-in-process.ts";
import { numbersOf, vectorOf } from "../../test/behaviour/harness/vector-shapes.ts";
import { watchTurns } from "../measure/turns.ts";

const inputs = 2_048;
const dimensions = 3_072;
const rounds = 3;
/** Number of different vectors, which are repeated; their content does not matter. */
const kinds = 16;

interface Call {
  readonly id: number;
  readonly origin: string;
  readonly key: string;
  readonly model: string;
  readonly form: "float" | "base64";
}

interface Answered {
  readonly id: number;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
}

function startUpstream(): Promise<string> {
  const vectors = Array.from({ length: kinds }, (_, index) => vectorOf(index, dimensions));
  const numbers = vectors.map((vector) => JSON.stringify(numbersOf(vector)));
  const base64 = vectors.map((vector) => `"${Buffer.from(vector.buffer).toString("base64")}"`);
  const openai = (of: readonly string[]): Buffer => {
    const entries = Array.from(
      { length: inputs },
      (_, index) => `{"object":"embedding","index":${index},"embedding":${of[index % kinds]}}`,
    );
    const usage = `{"prompt_tokens":${inputs},"total_tokens":${inputs}}`;
    return Buffer.from(`{"object":"list","data":[${entries.join(",")}],"model":"up","usage":${usage}}`);
  };
  const google = (count: number): Buffer => {
    const entries = Array.from({ length: count }, (_, index) => `{"values":${numbers[index % kinds]}}`);
    return Buffer.from(`{"embeddings":[${entries.join(",")}],"usageMetadata":{"promptTokenCount":${count}}}`);
  };
  const predict = (count: number): Buffer => {
    const entries = Array.from(
      { length: count },
      (_, index) =>
        `{"embeddings":{"values":${numbers[index % kinds]},"statistics":{"token_count":1,"truncated":false}}}`,
    );
    return Buffer.from(`{"predictions":[${entries.join(",")}]}`);
  };
  const whole = { float: openai(numbers), base64: openai(base64) };
  const bodyFor = (path: string, text: string): Buffer => {
    if (path.includes("batchEmbedContents")) return google(text.split('"parts"').length - 1);
    if (path.includes(":predict")) return predict(text.split('"content"').length - 1);
    return path.startsWith("/base64") ? whole.base64 : whole.float;
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = bodyFor(request.url ?? "", Buffer.concat(parts).toString());
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function call({ id, origin, key, model, form }: Call): Promise<Answered> {
  const input = Array.from({ length: inputs }, (_, index) => `text number ${index}`);
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = httpRequest(`${origin}/v1/embeddings`, { method: "POST", headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () =>
        resolve({ id, status: response.statusCode ?? 0, bytes, ms: performance.now() - startedMs }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ model, input, dimensions, encoding_format: form }));
  });
}

const cases: readonly (readonly [name: string, model: string, form: Call["form"], calls: number])[] = [
  ["OpenAI-shaped, float as it came", "float", "float", 1],
  ["OpenAI-shaped, base64 as it came", "base64", "base64", 1],
  ["OpenAI-shaped, float to base64", "float", "base64", 1],
  ["OpenAI-shaped, base64 to float", "base64", "float", 1],
  ["Gemini API, 21 calls, as float", "gemini", "float", 1],
  ["Gemini API, 21 calls, as base64", "gemini", "base64", 1],
  ["Vertex AI, 9 calls, as float", "vertex", "float", 1],
  ["four at once: Vertex AI, as base64", "vertex", "base64", 4],
];

async function measure(worker: Worker, origin: string): Promise<void> {
  const embeds = { operations: ["embeddings"] as const, context: 8_192, maxOutput: undefined };
  const on = (id: string, upstream: string, name: string) =>
    modelOn(id, [], { ...embeds, deployments: [{ upstream, model: name, priority: 1, weight: 1 }] });
  const google = { provider: "google" } as const;
  const app = await startApp({
    catalog: {
      upstreams: [
        upstreamAt("float", `${origin}/float/v1`),
        upstreamAt("base64", `${origin}/base64/v1`),
        upstreamAt("gemini", `${origin}/v1beta`, { ...google, credentials: ["AIzaKey"] }),
        upstreamAt("vertex", `${origin}/v1/projects/p/locations/l/publishers/google`, {
          ...google,
          credentials: ["ya29.token"],
        }),
      ],
      models: [
        on("float", "float", "m"),
        on("base64", "base64", "m"),
        on("gemini", "gemini", "gemini-embedding-001"),
        on("vertex", "vertex", "text-embedding-005"),
      ],
      limits: {},
    },
  });
  const { key } = await app.newAccount("1000");
  const waiting = new Map<number, (answered: Answered) => void>();
  worker.on("message", (answered: Answered) => waiting.get(answered.id)?.(answered));
  const ask = (asked: Omit<Call, "id">): Promise<Answered> =>
    new Promise((resolve) => {
      const id = waiting.size;
      waiting.set(id, resolve);
      worker.postMessage({ ...asked, id });
    });
  for (const [name, model, form, calls] of cases) {
    let best = { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY, turns: 0 };
    let last: Answered = { id: 0, status: 0, bytes: 0, ms: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const stop = watchTurns();
      [last] = (await Promise.all(
        Array.from({ length: calls }, () => ask({ origin: app.origin, key, model, form })),
      )) as [Answered];
      const seen = stop();
      if (seen.cpuMs < best.cpuMs) best = seen;
    }
    const mb = (last.bytes / 1_000_000).toFixed(0);
    process.stdout.write(
      `${name.padEnd(38)} longest turn ${best.wallMs.toFixed(1).padStart(6)} ms wall, ${best.cpuMs.toFixed(1).padStart(6)} ms CPU; ` +
        `${last.status}, ${mb} MB in ${last.ms.toFixed(0)} ms, peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB\n`,
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

/**
 * What a chunk of a stream costs `plaza serve`, sockets included, where callers and upstream speak one format
 * and its bytes pass. Formats take turns on one process; each is compared with chat in the same round. The
 * upstream and the callers are this process, on the other core.
 *
 * Run: node bench/formats/run.ts [--streams 300] [--rounds 8] [--seconds 3]
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findPlaza } from "../gateways/checkout.ts";
import { stopAllChildren, stopChild } from "../gateways/child.ts";
import { claimCores } from "../gateways/machine.ts";
import { createKey, startPlaza } from "../gateways/plaza.ts";
import { cpuBetweenMs, readCpu } from "../measure/process-stat.ts";
import { median } from "../measure/statistics.ts";
import { type PacedStream, StreamTicker } from "../measure/stream-ticker.ts";
import { type StreamFormat, streamFormats } from "./wire.ts";

const { values } = parseArgs({
  options: {
    streams: { type: "string", default: "300" },
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "3" },
  },
});
const streams = Number(values.streams);
const rounds = Number(values.rounds);
const windowMs = Number(values.seconds) * 1_000;
const intervalMs = 20;
const settleMs = 2_000;
const endMsMax = 20_000;

/**
 * The upstream: answers every request with its path's stream, a chunk at each interval, until told to end.
 */
class Upstream {
  readonly #ticker = new StreamTicker();
  readonly #open = new Set<ServerResponse>();
  chunksSent = 0;
  #isEnding = false;

  readonly server = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.on("end", () => this.#start(incoming, outgoing));
  });

  #start({ url = "" }: IncomingMessage, outgoing: ServerResponse): void {
    const format = streamFormats.find(({ path }) => url.endsWith(path.replace(/^\/v1(?:beta)?/, "")));
    if (format === undefined) throw new Error(`no stream for ${url}`);
    this.#isEnding = false;
    outgoing.socket?.setNoDelay(true);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    if (format.first !== "") outgoing.write(format.first);
    const chunk = Buffer.from(format.chunk);
    this.#open.add(outgoing);
    const stream: PacedStream = {
      intervalMs,
      isClosed: false,
      send: () => {
        if (this.#isEnding) outgoing.end(format.last);
        else outgoing.write(chunk);
        if (!this.#isEnding) this.chunksSent += 1;
        return !this.#isEnding;
      },
    };
    outgoing.on("close", () => {
      stream.isClosed = true;
      this.#open.delete(outgoing);
    });
    this.#ticker.add(stream);
  }

  endStreams(): void {
    this.#isEnding = true;
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** One caller's stream: resolves with the bytes it got. Rejects where it did not end as its format ends. */
function call(port: number, key: string, { path, body, end }: StreamFormat): Promise<number> {
  const { promise, resolve: done, reject } = Promise.withResolvers<number>();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const outgoing = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers });
  outgoing.on("error", reject);
  outgoing.on("response", (incoming) => {
    let bytes = 0;
    let tail = "";
    incoming.on("data", (part: Buffer) => {
      bytes += part.length;
      tail = part.toString("latin1");
    });
    incoming.on("error", reject);
    incoming.on("end", () => {
      if (incoming.statusCode === 200 && tail.includes(end)) done(bytes);
      else reject(new Error(`${path}: ${incoming.statusCode}, ended with ${tail.slice(-300)}`));
    });
  });
  outgoing.end(body);
  return promise;
}

/** Microseconds of Plaza's CPU time, all threads, for each chunk. */
async function measure(
  upstream: Upstream,
  plaza: { pid: number; port: number; key: string },
  format: StreamFormat,
): Promise<number> {
  const sentBefore = upstream.chunksSent;
  const calls: Promise<number>[] = [];
  for (let count = 0; count < streams; count += 1) {
    calls.push(call(plaza.port, plaza.key, format));
    if (count % 10 === 9) await sleep(10);
  }
  await sleep(settleMs);
  const [cpu, sent] = [readCpu(plaza.pid), upstream.chunksSent];
  await sleep(windowMs);
  const cost = (1_000 * cpuBetweenMs(cpu, readCpu(plaza.pid))) / (upstream.chunksSent - sent);
  upstream.endStreams();
  const ended = Promise.all(calls);
  const bytes = await Promise.race([ended, sleep(endMsMax, undefined, { ref: false })]);
  if (bytes === undefined) throw new Error(`${format.name}: streams did not end`);
  const chunks = upstream.chunksSent - sentBefore;
  const passed = bytes.reduce((sum, one) => sum + one, 0);
  const least = chunks * format.chunk.length;
  if (passed < least) throw new Error(`${format.name}: ${passed} bytes of ${least}`);
  return cost;
}

function catalog(port: number): string {
  const upstreams = streamFormats.map(
    ({ name, provider, preset }) => `  - id: ${name}
    provider: ${provider}
${preset === undefined ? "" : `    preset: ${preset}\n`}    baseUrl: http://127.0.0.1:${port}${provider === "google" ? "/v1beta" : "/v1"}
    credentials: ["bench-credential"]
`,
  );
  const models = streamFormats.map(
    ({ name, formats }) => `  - id: m-${name}
    name: m-${name}
    context: 400000
    maxOutput: 128000
    price: { input: "0.25", cachedInput: "0.025", output: "2.00" }
    deployments:
      - { upstream: ${name}, model: m-${name}, formats: [${formats}] }
`,
  );
  return `upstreams:\n${upstreams.join("")}models:\n${models.join("")}`;
}

const cores = claimCores();
const folder = mkdtempSync(join(tmpdir(), "plaza-formats-"));
const upstream = new Upstream();
upstream.server.listen(0, "127.0.0.1");
await once(upstream.server, "listening");
const catalogFile = join(folder, "plaza.yaml");
writeFileSync(catalogFile, catalog((upstream.server.address() as AddressInfo).port));
const script = findPlaza(resolve(import.meta.dirname, "../.."));
const files = { script, dataDir: join(folder, "data"), catalogFile };
try {
  const { child, port } = await startPlaza(files, cores.gateway);
  const { key, reason } = createKey(files);
  if (key === undefined) throw new Error(`no key: ${reason}`);
  const plaza = { pid: child.pid, port, key };
  // The first turns compile what they use, and do not count.
  for (let warmUp = 0; warmUp < 2; warmUp += 1)
    for (const format of streamFormats) await measure(upstream, plaza, format);
  const costs = new Map(streamFormats.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const format of round % 2 === 0 ? streamFormats : streamFormats.toReversed())
      costs.get(format.name)?.push(await measure(upstream, plaza, format));
  }
  console.log(`${streams} streams, a chunk every ${intervalMs} ms, ${rounds} rounds of ${windowMs} ms`);
  const ofChat = costs.get("chat") ?? [];
  for (const { name, chunk } of streamFormats) {
    const own = costs.get(name) ?? [];
    const ratios = own.map((cost, round) => cost / (ofChat[round] ?? Number.NaN));
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    console.log(
      `${name.padEnd(10)} ${median(own).toFixed(2)} µs a chunk of ${chunk.length} bytes; ` +
        `of chat's ${median(ratios).toFixed(3)} [${least.toFixed(3)} – ${most.toFixed(3)}]`,
    );
  }
  await stopChild(child);
} finally {
  await stopAllChildren();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

/**
 * P14: a slow or dead reader costs bounded memory. Some callers of all endpoints request huge streams and
 * never read, others keep idle connections open; other callers must not be affected.
 */
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { spokenName } from "../harness/catalog.ts";
import { bodyFor, pathOf, routeFor } from "../harness/endpoints.ts";
import { countFigure, type Figure, percentile, type Rig, showMegabytes, showMs } from "../harness/figure.ts";
import { post } from "../harness/http-client.ts";
import { eventually, monotonicMs, pause } from "../harness/measure/clock.ts";
import type { Plaza } from "../harness/processes/plaza.ts";
import { heldConnections, queuedBytes, residentBytes, watchResident } from "../harness/processes/proc.ts";
import type { UpstreamProcess } from "../harness/processes/upstream-process.ts";
import { type WarmRequest, warmUp } from "../harness/processes/warm.ts";
import { withPlazaApart } from "../harness/processes/with-plaza.ts";
import type { Plan } from "../upstream/plan.ts";

const megabyte = 1024 * 1024;
const residentGrowthMax = 64 * megabyte;
const slowerMax = 1.1;

/** A call on the route of this name. */
function requestOn(seed: number, name: string, isStream: boolean, plan: Partial<Plan>): WarmRequest {
  const { endpoint, spoken } = routeFor(name, seed);
  const model = spokenName("rig-model", spoken);
  const call = { model, isStream, maxTokens: 10_000, plan, text: "hello" };
  return { path: pathOf(endpoint, call), body: bodyFor(endpoint, call) };
}

/** Small calls on many routes. */
const ordinaryRequests = ({ seed }: Plaza, kinds: readonly boolean[]): WarmRequest[] =>
  Array.from({ length: 64 }, (_, index) =>
    kinds.map((isStream) => requestOn(seed, `ordinary-${index}`, isStream, { tokens: 4 })),
  ).flat();

/** Requests a stream of `bytes`, the reader's on its own route, and reads nothing, or everything. */
function askHuge(plaza: Plaza, reader: number, bytes: number, isRead: boolean): Socket {
  const id = isRead ? "read" : "never-read";
  const plan = { tokens: Math.ceil(bytes / 65_536), padBytes: 65_536, id };
  const { path, body } = requestOn(plaza.seed, `reader-${reader}`, true, plan);
  const socket = connect({ port: plaza.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  if (isRead) socket.resume();
  else socket.pause();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: plaza\r\nConnection: close\r\nAuthorization: Bearer ${plaza.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Reads the same streams first: memory for passing them through is not caused by slow readers. */
async function readHuge(plaza: Plaza, readers: number, bytes: number): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: readers }, (_, reader) => askHuge(plaza, reader, bytes, true));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  }
}

/** Waits until the upstream stops writing because of back-pressure. */
async function untilStill(upstream: UpstreamProcess): Promise<void> {
  let before = -1;
  const isStill = async (): Promise<boolean> => {
    const { writtenBytes } = await upstream.state();
    const isSame = writtenBytes === before && writtenBytes > megabyte;
    before = writtenBytes;
    return isSame;
  };
  await eventually(isStill, 20_000, 500);
}

/**
 * Bytes that Plaza itself holds for all streams: written by the upstream, minus those in the kernel's queues
 * on both sides.
 */
async function heldFigure(plaza: Plaza, upstream: UpstreamProcess, readers: number): Promise<Figure> {
  const { writtenBytes } = await upstream.state();
  const held = Math.max(0, writtenBytes - queuedBytes(upstream.port) - queuedBytes(plaza.port));
  return {
    promise: "P14",
    name: `bytes held for ${readers} non-readers beyond kernel buffers`,
    reached: `at most ${showMegabytes(held)} of ${showMegabytes(writtenBytes)} sent`,
    wanted: `≤ ${showMegabytes(residentGrowthMax)}`,
    ok: writtenBytes > 0 && held <= residentGrowthMax,
    kind: "correct",
  };
}

/** Opens a connection, makes one small request on it, and keeps it open. */
async function keepOpen(plaza: Plaza): Promise<Socket> {
  const socket = connect({ port: plaza.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.once("close", () => resolve());
    socket.write("GET /healthz HTTP/1.1\r\nHost: plaza\r\n\r\n");
  });
  return socket;
}

/** Ordinary calls for a while, 4 at a time on kept connections; milliseconds each. NaN marks a failed one. */
async function ordinary(plaza: Plaza, forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const requests = ordinaryRequests(plaza, [false]);
  const samples: number[] = [];
  const until = monotonicMs() + forMs;
  const lane = async (): Promise<void> => {
    while (monotonicMs() < until) {
      const { path, body } = requests[samples.length % requests.length] ?? assert.fail();
      const url = plaza.origin + path;
      const seen = await post({ url, key: plaza.key, body, agent, withinMs: 10_000 });
      samples.push(seen.status === 200 ? seen.endedAt - seen.sentAt : Number.NaN);
      await pause(2);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  agent.destroy();
  return samples;
}

function memoryFigure(name: string, growth: number): Figure {
  return {
    promise: "P14",
    name,
    reached: showMegabytes(growth),
    wanted: `≤ ${showMegabytes(residentGrowthMax)}`,
    ok: growth <= residentGrowthMax,
    kind: "correct",
  };
}

function othersFigures(name: string, before: number[], during: number[], after: number[]): Figure[] {
  const failed = during.filter((sample) => Number.isNaN(sample)).map(() => "an ordinary call failed");
  const quiet = (percentile(before, 99) + percentile(after, 99)) / 2;
  const busy = percentile(
    during.filter((sample) => !Number.isNaN(sample)),
    99,
  );
  return [
    countFigure("P14", `ordinary calls beside ${name} succeed`, during.length, failed),
    {
      promise: "P14",
      name: `ordinary calls' p99 beside ${name}`,
      reached: `${((busy / quiet - 1) * 100).toFixed(0)} % (${showMs(quiet)} alone, ${showMs(busy)} beside)`,
      wanted: "≤ +10 %",
      ok: busy <= quiet * slowerMax,
      kind: "timing",
    },
  ];
}

/**
 * Memory after ordinary calls only is a known miss (`docs/promises.md`): most of it is what V8 has not
 * collected yet, 31 to 79 MiB in the short form from one run to the next. What is really held is asserted
 * apart, by `heldFigure`.
 */
const printedOnly = (figure: Figure): Figure =>
  figure.name.startsWith("memory growth") ? { ...figure, kind: "timing" } : figure;

/**
 * Measures memory while `open` sockets are held without traffic, and ordinary calls before, during and after.
 */
async function beside(
  plaza: Plaza,
  name: string,
  forMs: number,
  open: () => Promise<Socket[]>,
): Promise<Figure[]> {
  const before = await ordinary(plaza, forMs);
  const resident = watchResident(plaza.pid);
  const sockets = await open();
  await pause(forMs);
  const { first, peak } = resident.stop();
  const during = await ordinary(plaza, forMs);
  const connections = heldConnections(plaza.pid, plaza.port);
  const lost = sockets
    .filter(({ localPort }) => !connections.has(localPort ?? -1))
    .map(() => "a connection was not held");
  for (const socket of sockets) socket.destroy();
  await pause(500);
  const after = await ordinary(plaza, forMs);
  return [
    memoryFigure(`memory growth with ${name}`, peak - first),
    countFigure("P14", `${name} were really held`, sockets.length, lost),
    ...othersFigures(name, before, during, after),
  ];
}

export const run: Rig = ({ size, seed }) =>
  withPlazaApart({ seed }, async (plaza, upstream) => {
    const isLong = size === "long";
    // The kernel may queue 33 MB for a connection that was read fast before (tcp_rmem): less proves nothing.
    const [readers, bytes, idle, forMs] = isLong
      ? [100, 200 * megabyte, 5000, 20_000]
      : [10, 64 * megabyte, 200, 1000];
    await warmUp(plaza, isLong ? 40_000 : 6000, ordinaryRequests(plaza, [false, true]));
    const held: Figure[] = [];
    const besideNonReaders = (warmedBy: string): Promise<Figure[]> =>
      beside(plaza, `${readers} non-readers of ${bytes / megabyte} MB after ${warmedBy}`, forMs, async () => {
        const sockets = Array.from({ length: readers }, (_, reader) => askHuge(plaza, reader, bytes, false));
        await untilStill(upstream);
        held.push(await heldFigure(plaza, upstream, readers));
        return sockets;
      });
    // Run the harder case first, before readers of huge streams have grown the heap.
    const coldFigures = (await besideNonReaders("ordinary calls only")).map(printedOnly);
    await readHuge(plaza, readers, 9 * megabyte);
    const figures = [
      ...coldFigures,
      ...(await besideNonReaders("as many readers")),
      ...(await beside(plaza, `${idle} idle connections`, forMs, () =>
        Promise.all(Array.from({ length: idle }, () => keepOpen(plaza))),
      )),
    ];
    const calls = (await upstream.calls()).filter((call) => call.id === "never-read");
    const running = calls
      .filter((call) => call.end === undefined)
      .map(() => "a stream nobody reads still runs");
    const most = Math.max(0, ...calls.map((call) => call.bytes ?? 0));
    return [
      ...held,
      ...figures,
      countFigure("P14", "streams of callers that left are stopped", calls.length, running),
      {
        promise: "P14",
        name: "back-pressure reaches the upstream",
        reached: `at most ${showMegabytes(most)} of ${showMegabytes(bytes)} sent`,
        wanted: "less than the whole",
        ok: calls.length === 2 * readers && most < bytes,
        kind: "correct",
      },
      {
        promise: "P14",
        name: "resident at the end",
        reached: showMegabytes(residentBytes(plaza.pid)),
        wanted: "printed only",
        ok: true,
        kind: "timing",
      },
    ];
  });

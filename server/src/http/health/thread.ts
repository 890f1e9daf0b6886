/**
 * The health listener: `/healthz`, `/readyz` and `/metrics` in a thread of their own, which answers at once
 * however much the serving event loops have to do. What it knows it is told in messages; figures it asks for,
 * and shows the last it got when the answer takes too long.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { toGatewayError, wireError } from "@plaza/contract/error-wire.ts";
import { GatewayError } from "@plaza/contract/errors.ts";
import { message } from "@plaza/contract/messages/message.ts";
import { createRegistry, metricsType } from "../../lib/telemetry/metrics.ts";
import { joinFamilies } from "../../lib/telemetry/metrics-text.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { isWithin } from "../../lib/time/schedule.ts";
import { createMetricsGuard } from "../operator/guard.ts";
import type { FromHealthThread, HealthThreadStart, ToHealthThread } from "./listener.ts";
import { HealthView } from "./view.ts";

/** How often time is counted. */
const passMs = 100;
/** How long a question for figures waits for new ones. */
const freshMs = 15;
/**
 * Younger figures are shown as they are: making new ones takes milliseconds of the serving loop, which is not
 * to be had as often as somebody likes to look.
 */
const youngMs = 1_000;
/** How old figures may become while the process answers in time, whether or not anybody looks. */
const refreshMs = 5_000;
const connectionsMax = 1_000;
const jsonType = "application/json; charset=utf-8";

const { listen, stallMs, operatorToken, metricsToken } = workerData as HealthThreadStart;
const port = parentPort ?? undefined;
const post = (message: FromHealthThread): void => port?.postMessage(message);
const view = new HealthView(stallMs);
// A token of the console is looked up in the store, which this thread must not wait for.
const guard = createMetricsGuard({ operatorToken, metricsToken, isMadeToken: async () => false });

let figures: { readonly text: string; readonly atMs: number } | undefined;
let asking: PromiseWithResolvers<void> | undefined;

/**
 * On Linux a thread has a priority of its own, and this one does next to nothing: where the system lets it (a
 * superuser may), it goes before the threads that keep the processors busy.
 */
function goFirst(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // An ordinary user may not; it is a matter of milliseconds.
  }
}

/** Resolves when new figures have come. One question at a time: a late answer serves all who asked. */
function askForFigures(): Promise<void> {
  if (asking === undefined) {
    asking = Promise.withResolvers();
    post({ kind: "figures" });
  }
  return asking.promise;
}

const registry = createRegistry();
registry.gauge({
  name: "plaza_metrics_age_seconds",
  help: "How old the other figures of this answer are: above 1 when the process did not give new ones in time.",
  read(set) {
    set(Math.round(ageMs()) / 1000);
  },
});

/** Age of the figures there are; 0 without any. */
function ageMs(): number {
  return figures === undefined ? 0 : systemClock.elapsedMs() - figures.atMs;
}

async function metrics(req: IncomingMessage): Promise<string> {
  await guard({ headers: req.headers, peerAddress: req.socket.remoteAddress });
  if (figures === undefined || ageMs() > youngMs) await isWithin(askForFigures(), freshMs);
  if (figures === undefined) {
    throw new GatewayError("overloaded", { message: message("server.noFigures"), retryAfterMs: 1_000 });
  }
  return figures.text + joinFamilies([registry.families("")]);
}

function send(res: ServerResponse, status: number, type: string, text: string): void {
  const length = String(Buffer.byteLength(text));
  res.writeHead(status, { "content-type": type, "content-length": length, "cache-control": "no-store" });
  res.end(text);
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = (req.url ?? "").split("?", 1)[0];
  if (req.method !== "GET" && req.method !== "HEAD") {
    throw new GatewayError("method_not_allowed", {
      message: message("server.getOnly"),
      allow: "GET, HEAD",
    });
  }
  if (path === "/healthz" || path === "/readyz") {
    const { status, body } = path === "/healthz" ? view.health() : view.readiness();
    send(res, status, jsonType, JSON.stringify(body));
  } else if (path === "/metrics") {
    send(res, 200, metricsType, await metrics(req));
  } else {
    throw new GatewayError("not_found", {
      message: message("server.onlyHealth"),
    });
  }
}

function onRequest(req: IncomingMessage, res: ServerResponse): void {
  answer(req, res).catch((thrown: unknown) => {
    const wire = wireError(toGatewayError(thrown));
    res.writeHead(wire.status, [
      "content-type",
      jsonType,
      "content-length",
      String(wire.body.length),
      ...wire.headers,
    ]);
    res.end(wire.body);
  });
}

port?.on("message", (message: ToHealthThread) => {
  if (message.kind === "beat") view.beat(message.pid, message.notReady);
  else if (message.kind === "gone") view.gone(message.pid);
  else if (message.kind === "stopping") view.stop();
  else {
    figures = { text: message.text, atMs: systemClock.elapsedMs() };
    asking?.resolve();
    asking = undefined;
  }
});
setInterval(() => view.pass(passMs), passMs);
setInterval(() => void askForFigures(), refreshMs);

goFirst();
const server = createServer(
  { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 75_000 },
  onRequest,
);
server.maxConnections = connectionsMax;
server.on("error", (error: Error) => post({ kind: "failed", message: error.message }));
server.listen(listen, () => post({ kind: "listening", port: (server.address() as AddressInfo).port }));

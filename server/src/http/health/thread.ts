/**
 * The health listener: `/healthz`, `/readyz` and `/metrics` in a thread of its own, which answers even when
 * the serving event loops are busy. It receives state in messages. It requests metrics, and shows the last
 * ones it got when the answer takes too long.
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

/** Interval at which time is counted, in milliseconds. */
const passMs = 100;
/** How long a metrics request waits for new metrics, in milliseconds. */
const freshMs = 15;
/**
 * Younger metrics are not refreshed, because creating them takes milliseconds of the serving loop.
 * Milliseconds.
 */
const youngMs = 1_000;
/** Refresh interval of the metrics when they are not read, in milliseconds. */
const refreshMs = 5_000;
const connectionsMax = 1_000;
const jsonType = "application/json; charset=utf-8";

const { listen, stallMs, operatorToken, metricsToken } = workerData as HealthThreadStart;
const port = parentPort ?? undefined;
const post = (message: FromHealthThread): void => port?.postMessage(message);
const view = new HealthView(stallMs);
// Console-made tokens are not accepted here: they need a store lookup, which this thread must not wait for.
const guard = createMetricsGuard({ operatorToken, metricsToken, isMadeToken: async () => false });

let figures: { readonly text: string; readonly atMs: number } | undefined;
let asking: PromiseWithResolvers<void> | undefined;

/**
 * Raises this thread's priority on Linux if permitted (superuser), so that it runs before busy threads. It
 * does very little work.
 */
function goFirst(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Not permitted for ordinary users. The cost is a few milliseconds of delay.
  }
}

/**
 * Requests new metrics and resolves when they arrive. One request at a time; its answer serves everyone
 * waiting.
 */
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

/** Age of the current metrics in milliseconds; 0 without any. */
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

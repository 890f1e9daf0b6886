/**
 * The composition root: makes every part of one serving process from the config and wires them together. It decides
 * nothing about requests; it only passes parts to each other.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import type { Config } from "./config.ts";
import { createGate } from "./gateway/admit.ts";
import { type Caller, createAuthenticator } from "./gateway/authenticate.ts";
import { getBalance } from "./gateway/balance.ts";
import { type ChatContext, chat } from "./gateway/chat.ts";
import { createAnswerScanners, createChatScanners } from "./gateway/chat-scan.ts";
import { createLeases } from "./gateway/leases.ts";
import { createLeaving } from "./gateway/leaving.ts";
import { getModel, listModels } from "./gateway/models.ts";
import { streamMarks } from "./gateway/relay.ts";
import { answerType, type Reply } from "./gateway/reply.ts";
import { getRequest } from "./gateway/requests.ts";
import { createSnapshot, createUpstreams, type Snapshot } from "./gateway/snapshot.ts";
import { watchStore } from "./gateway/watch-store.ts";
import { createRoutes, type RouteEntry } from "./http/routes.ts";
import { createHttpServer } from "./http/server.ts";
import type { Clock } from "./lib/clock.ts";
import { createIdFactory } from "./lib/id.ts";
import type { Log } from "./lib/log.ts";
import { createSseReaderFactory } from "./lib/sse.ts";
import { createTicker } from "./lib/ticker.ts";
import { holderLifeMs } from "./store/holder-life.ts";
import type { Store } from "./store/store.ts";

/** One serving process. */
export interface App {
  readonly server: Server;
  /** Listens; resolves with the port. */
  listen(): Promise<number>;
  /** Refuses newcomers, lets what is in flight finish within the bound, then closes everything but the store. */
  drain(): Promise<void>;
}

export interface AppOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

const sendJson = (reply: Reply, status: number, value: unknown): void =>
  reply.send(status, answerType, Buffer.from(JSON.stringify(value)));

/** How long a readiness check waits for the store. */
const readyMs = 1_000;

/** How long interrupted streams have to send their last event and settle. */
const interruptMs = 2_000;

/** How often the store is told that this process lives (`store/holder-life.ts`: it is believed for nine times as long). */
const beatMs = 5_000;

/** How often leases are looked through for what lies idle. */
const tickMs = 1_000;

/** How long connections have to close by themselves once nothing is in flight. */
const closeMs = 500;

/** Was the promise fulfilled in time? Rejects when it rejects in time; a later rejection is nobody's business. */
function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

/** Stops listening; connections go when their last answer is out, or after a moment whatever they do. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  if (await isWithin(closed, closeMs)) return;
  server.closeAllConnections();
  await closed;
}

/** What a caller may look at with its key. */
function callerRoutes(context: ChatContext): RouteEntry[] {
  const { authenticator, clock } = context;
  const route = (path: string, answer: (caller: Caller, tail: string) => unknown): RouteEntry => ({
    method: "GET",
    path,
    handler: async (req, reply, tail) => {
      const caller = await authenticator.authenticate(req.headers.authorization);
      sendJson(reply, 200, await answer(caller, tail));
    },
  });
  return [
    route("/v1/models", (caller) => listModels(context.snapshot(), caller, clock.wallMs())),
    route("/v1/models/*", (caller, id) => getModel(context.snapshot(), caller, id, clock.wallMs())),
    route("/v1/balance", (caller) => getBalance(context, caller)),
    route("/v1/requests/*", (caller, id) => getRequest(context, caller, id)),
  ];
}

/** What anybody may look at. */
function statusRoutes({ gate, store }: ChatContext): RouteEntry[] {
  async function whyNotReady(): Promise<string | undefined> {
    try {
      return (await isWithin(store.ping(), readyMs)) ? undefined : "the database does not answer";
    } catch {
      return "the database does not answer";
    }
  }

  async function ready(reply: Reply): Promise<void> {
    const reason = gate.isDraining ? "stopping" : await whyNotReady();
    if (reason === undefined) sendJson(reply, 200, { status: "ready" });
    else sendJson(reply, 503, { status: "not_ready", reason });
  }

  function welcome(reply: Reply): void {
    const text = [
      "This is Plaza, a model gateway.",
      "",
      "Point an OpenAI client at base_url = {this address}/v1 and send your key as a bearer token.",
      "GET /v1/models lists the models your key may use.",
      "",
    ].join("\n");
    reply.send(200, "text/plain; charset=utf-8", Buffer.from(text));
  }

  return [
    { method: "GET", path: "/healthz", handler: (_req, reply) => sendJson(reply, 200, { status: "ok" }) },
    { method: "GET", path: "/readyz", handler: (_req, reply) => ready(reply) },
    { method: "GET", path: "/", handler: (_req, reply) => welcome(reply) },
  ];
}

/** Makes a process's app; the store must be migrated and hold a catalog. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log } = options;
  const upstreams = createUpstreams();
  const authenticator = createAuthenticator({ store, clock });
  const gate = createGate();
  const interruption = { isInterrupted: false };
  const newId = createIdFactory(clock);
  const leases = createLeases({
    store,
    clock,
    log,
    newHolderId: () => newId("hld"),
    holderLifeMs,
    sleep: setTimeoutPromise,
  });
  await leases.open();
  const beatTimer = setInterval(() => void leases.beat(), beatMs).unref();
  const tickTimer = setInterval(() => {
    // What would be given back now could not be had again: it is what calls are served from.
    if (!store.isBehind()) leases.tick();
  }, tickMs).unref();
  const afterId = await store.lastChangeId();
  let snapshot: Snapshot = await loadSnapshot();
  const context: ChatContext = {
    store,
    clock,
    log,
    random: options.random,
    settings: config,
    ticker: createTicker(clock),
    scanners: createChatScanners(config),
    answerScanners: createAnswerScanners(),
    readers: createSseReaderFactory({ marks: streamMarks, eventBytesMax: config.eventBytesMax }),
    authenticator,
    gate,
    leases,
    interruption,
    leaving: createLeaving(),
    snapshot: () => snapshot,
  };

  async function loadSnapshot(): Promise<Snapshot> {
    const catalog = await store.loadCatalog();
    return createSnapshot(catalog ?? { upstreams: [], models: [], limits: {} }, upstreams);
  }

  const watch = watchStore({
    store,
    log,
    afterId,
    async onChange({ kind, subject }) {
      if (kind === "catalog") {
        snapshot = await loadSnapshot();
        log.info("catalog_changed", { models: snapshot.models.size });
      } else if (kind === "recall") {
        leases.recall(subject);
      } else {
        authenticator.forget(kind, subject);
        leases.refresh(subject);
      }
    },
  });

  const routes: RouteEntry[] = [
    { method: "POST", path: "/v1/chat/completions", handler: (req, reply) => chat(context, req, reply) },
    ...callerRoutes(context),
    ...statusRoutes(context),
  ];

  const server = createHttpServer({
    settings: {
      headersTimeoutMs: config.headersTimeoutMs,
      keepAliveTimeoutMs: config.keepAliveTimeoutMs,
      connectionsMax: config.connectionsMax,
      corsOrigins: config.corsOrigins,
    },
    newRequestId: () => newId("req"),
    route: createRoutes(routes, (thrown) =>
      log.error("internal_error", { stack: thrown instanceof Error ? thrown.stack : String(thrown) }),
    ),
  });

  return {
    server,
    async listen() {
      server.listen({ port: config.port, host: config.host, backlog: 1024 });
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    },
    async drain() {
      const drained = gate.drain();
      if (!(await isWithin(drained, config.drainMs))) {
        log.warn("drain_bound_reached", { inFlight: gate.inFlight });
        interruption.isInterrupted = true;
        await isWithin(drained, interruptMs);
      }
      watch.stop();
      clearInterval(beatTimer);
      clearInterval(tickTimer);
      await closeServer(server);
      await leases.close().catch((error: Error) => log.warn("leases_not_returned", { error: error.message }));
      await upstreams.close();
    },
  };
}

/**
 * The process's listeners: the endpoint, the console on the same or its own address, and the routes of each.
 */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Config, processEnvironment, schemeOf } from "../config/config.ts";
import type { ListenAddress } from "../config/values.ts";
import { findLiveToken } from "../control/auth/live-token.ts";
import { startIncidentLog } from "../control/background/incident-log.ts";
import { startPruning } from "../control/background/pruning.ts";
import { startRowRemoval } from "../control/background/row-removal.ts";
import { startUsageRollup } from "../control/background/usage-rollup.ts";
import type { LiveHub } from "../control/live/hub.ts";
import type { BodyMemory } from "../control/receive.ts";
import { prepareEndpoint } from "../gateway/endpoints/endpoint.ts";
import { endpoints } from "../gateway/endpoints/index.ts";
import type { Gate } from "../gateway/gate/admit.ts";
import { type PipelineContext, serveCall } from "../gateway/request/pipeline.ts";
import { createControlPlane } from "../http/console/control-plane.ts";
import { Connections, type ListeningServer } from "../http/listener/connections.ts";
import { observeConnections } from "../http/listener/observe-connections.ts";
import { createOwnServer, OwnServer } from "../http/listener/own-server.ts";
import { createHttpServer } from "../http/listener/server.ts";
import { createMetricsGuard, createOperatorGuard } from "../http/operator/guard.ts";
import { metricsRoute } from "../http/operator/metrics.ts";
import { gatherAlone } from "../http/operator/metrics-gather.ts";
import { upstreamsRoute } from "../http/operator/upstreams.ts";
import {
  callerRoutes,
  limitsReportedBy,
  type ReadContext,
  statusRoutes,
} from "../http/routes/read-routes.ts";
import { type Besides, createRoutes, type Fallback, type RouteEntry } from "../http/routes/routes.ts";
import { SecureServer } from "../http/tls/secure-server.ts";
import { openCertificates, type ServedCertificates } from "../http/tls/served-certificate.ts";
import type { Registry } from "../lib/telemetry/metrics.ts";
import type { Schedule } from "../lib/time/schedule.ts";
import type { SocketHandle } from "../process/shared-sockets.ts";
import { archiveOf } from "./archive.ts";
import { createControlContext } from "./control-context.ts";
import type { Listeners } from "./listening.ts";
import type { AppOptions } from "./options.ts";

/** The parts of the process that answer requests. */
interface AnsweringParts {
  readonly context: PipelineContext & ReadContext;
  readonly registry: Registry;
  readonly gate: Gate;
  readonly bodies: BodyMemory;
  readonly newRequestId: () => string;
  readonly schedule: Schedule;
  /** True while any process measures a problem of a model. */
  readonly hasTroubledModels: () => boolean;
  readonly live: LiveHub;
}

interface Answering extends AnsweringParts {
  /** Undefined: callers speak plain HTTP. */
  readonly certificates: ServedCertificates | undefined;
}

/** Maximum number of connections the system queues before they are accepted. */
const backlog = 4096;

/** Listens on the socket if given, else on the address. Resolves with the port. */
async function listen(
  server: ListeningServer,
  { port, host }: ListenAddress,
  socket?: SocketHandle,
): Promise<number> {
  if (server instanceof OwnServer) await server.prepare();
  if (socket === undefined) server.listen({ port, host, backlog });
  else server.listen(socket, backlog);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A server and its connections. */
interface Listener {
  readonly server: ListeningServer;
  readonly connections: Connections;
}

function createListener(
  { config, log, clock }: AppOptions,
  routes: RouteEntry[],
  { newRequestId, gate, certificates }: Answering,
  besides: Besides,
  transport: Config["transport"] = "node",
): Listener {
  const connections = new Connections(clock);
  const serverOptions = {
    settings: {
      headersTimeoutMs: config.headersTimeoutMs,
      keepAliveTimeoutMs: config.keepAliveTimeoutMs,
      connectionsMax: config.connectionsMax,
      corsOrigins: config.corsOrigins,
    },
    connections,
    newRequestId,
    refusalOf: gate.refusalOf,
    route: createRoutes(
      routes,
      (reply, thrown) =>
        log.error("internal_error", {
          request: reply.requestId,
          stack: thrown instanceof Error ? thrown.stack : String(thrown),
        }),
      besides,
    ),
  };
  const inner =
    transport === "own" ? createOwnServer({ ...serverOptions, clock }) : createHttpServer(serverOptions);
  const server =
    certificates === undefined ? inner : new SecureServer({ ...serverOptions, inner, certificates });
  return { server, connections };
}

/**
 * Returns the endpoint's origin for the console's content policy, when it differs from the console's own.
 * When listening on all interfaces, any host is allowed.
 */
function endpointOf(config: Config, port: number): string | undefined {
  const { publicUrl, consoleListen, host } = config;
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  if (consoleListen === undefined) return undefined;
  const name = host === "0.0.0.0" || host === "::" ? "*" : host;
  return `${schemeOf(config)}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

const upstreamsOf = ({ config, store }: AppOptions): RouteEntry =>
  upstreamsRoute(() => store.listUpstreamStates(), createOperatorGuard(config.operatorToken));

/** Creates the console and its API, on the shared listener or on their own. */
function consoleOf(options: AppOptions, answering: Answering, port: () => number) {
  const { config } = options;
  const place = config.consoleListen;
  const { bodies, context, live } = answering;
  const plane = createControlPlane(
    createControlContext({ ...options, bodies, live, endpointPort: port, measuredOf: context.measuredOf }),
    () => endpointOf(config, port()),
  );
  const archive = archiveOf(config, processEnvironment());
  const pruning = startPruning({
    ...options,
    keptMs: {
      audit: archive === undefined ? config.auditKeptMs : undefined,
      refusals: config.refusalsKeptMs,
    },
  });
  const removal = startRowRemoval({
    ...options,
    keptMs: { requests: config.requestsKeptMs, audit: config.auditKeptMs },
    archive,
    processId: answering.newRequestId(),
  });
  // The console's totals are read from this rollup.
  const rollup = startUsageRollup({ ...options, processId: answering.newRequestId() });
  const incidents = startIncidentLog({ ...options, ...answering });
  const close = () => Promise.all([rollup(), pruning(), removal(), incidents()]);
  if (place === undefined)
    return { here: plane, listen: async (_socket?: SocketHandle) => undefined, listeners: [], close };
  // Routes on the console's own listener that are not part of the control plane but in its OpenAPI document.
  const routes = [...statusRoutes(answering.context, plane), upstreamsOf(options)];
  const listener = createListener(options, routes, answering, { fallback: plane });
  return {
    here: undefined,
    listen: (socket?: SocketHandle) => listen(listener.server, place, socket),
    listeners: [listener],
    close,
  };
}

/** All routes except those of the control plane. */
function routesOf(
  options: AppOptions,
  { context, registry }: Answering,
  fallback: Fallback | undefined,
): RouteEntry[] {
  const { config, store, clock, gatherMetrics = gatherAlone } = options;
  const metricsGuard = createMetricsGuard({
    ...config,
    isMadeToken: async (given) =>
      (await findLiveToken({ store, clock, config }, given))?.scopes.includes("health:read") === true,
  });
  return [
    ...endpoints.map((endpoint): RouteEntry => {
      const ready = prepareEndpoint(endpoint, config);
      return {
        method: "POST",
        path: endpoint.path,
        handler: (exchange, reply, tail) => serveCall(context, ready, exchange, reply, tail),
      };
    }),
    ...callerRoutes(context),
    ...statusRoutes(context, fallback),
    upstreamsOf(options),
    metricsRoute(gatherMetrics(registry.families), metricsGuard),
  ];
}

/**
 * Creates the listeners. Nothing listens before `listen` is called. Rejects with a readable Error when the
 * certificate cannot be used.
 */
export async function createListeners(options: AppOptions, parts: AnsweringParts): Promise<Listeners> {
  const { config, clock, log } = options;
  const { schedule, registry } = parts;
  const tls = await openCertificates({ files: config, clock, log, schedule, registry });
  const answering = { ...parts, certificates: tls?.certificates };
  let { port } = config;
  const besides = consoleOf(options, answering, () => port);
  const besidesRoutes = { fallback: besides.here, addHeaders: limitsReportedBy(answering.context) };
  const routes = routesOf(options, answering, besides.here);
  const listener = createListener(options, routes, answering, besidesRoutes, config.transport);
  const all = [...besides.listeners, listener];
  observeConnections(answering.registry, () => all.map(({ connections }) => connections.readings()));
  return {
    server: listener.server,
    async listen(sockets) {
      const apart = await besides.listen(sockets?.console);
      port = await listen(listener.server, config, sockets?.endpoint);
      return { endpoint: port, console: apart ?? port };
    },
    leave() {
      for (const { connections } of all) connections.isDraining = true;
    },
    stopAccepting: (isShared) =>
      Promise.all(all.map(({ server, connections }) => connections.stopAccepting(server, isShared))),
    async closeIdle(ms) {
      const gone = await Promise.all(all.map(({ server, connections }) => connections.closeIdle(server, ms)));
      return gone.every((isGone) => isGone);
    },
    close() {
      tls?.stop();
      const closing = all.map(({ server, connections }) => connections.closeAll(server));
      return Promise.all([...closing, besides.close()]);
    },
  };
}

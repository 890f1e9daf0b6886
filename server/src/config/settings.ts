/** The table of startup settings: allowed values, default and meaning. `config.ts` reads them. */

import { message } from "@plaza/contract/messages/message.ts";
import { responsesKeptMaxMs } from "@plaza/contract/responses-kept.ts";
import { optional, type Setting, setting } from "./setting.ts";
import {
  baseUrl,
  bearerToken,
  bytes,
  collectorUrl,
  database,
  duration,
  headers,
  hostName,
  issuerUrl,
  key32,
  line,
  listenAddress,
  networks,
  oneOf,
  openings,
  origins,
  path,
  proxyUrl,
  upstreamProxies,
  whole,
} from "./values.ts";

const kib = 1024;
const gib = 1024 ** 3;
const dayMs = 86_400_000;

export const settings = {
  host: setting({
    kind: hostName,
    initial: "127.0.0.1",
    flag: "--host <address>",
    text: message("setting.host"),
  }),
  port: setting({
    kind: whole(0, 65_535),
    initial: "8080",
    flag: "--port <number>",
    text: message("setting.port"),
  }),
  tlsCert: optional({
    kind: path,
    initially: message("setting.tlsCert.unset"),
    flag: "--tls-cert <file>",
    text: message("setting.tlsCert"),
  }),
  tlsKey: optional({
    kind: path,
    initially: message("setting.tlsKey.unset"),
    flag: "--tls-key <file>",
    text: message("setting.tlsKey"),
  }),
  dataDir: setting({
    kind: path,
    initial: "./data",
    flag: "--data <dir>",
    text: message("setting.dataDir"),
  }),
  database: setting({
    kind: database,
    initial: "sqlite:{dataDir}/plaza.sqlite",
    flag: "--database <where>",
    text: message("setting.database"),
  }),
  databaseWaitMs: setting({
    kind: duration(0, 3_600_000),
    initial: "60s",
    text: message("setting.databaseWaitMs"),
  }),
  databaseConnections: setting({
    kind: whole(3, 200),
    initial: "8",
    text: message("setting.databaseConnections"),
  }),
  migrate: setting({
    kind: oneOf(["auto", "manual"]),
    initial: "auto",
    text: message("setting.migrate"),
  }),
  catalog: optional({
    kind: path,
    initially: message("setting.catalog.unset"),
    flag: "--catalog <file>",
    text: message("setting.catalog"),
  }),
  workers: setting({
    kind: whole(1, 64),
    initial: "1",
    flag: "--workers <number>",
    text: message("setting.workers"),
  }),
  secretKey: optional({
    kind: key32,
    initially: message("setting.secretKey.unset"),
    isSecret: true,
    text: message("setting.secretKey"),
  }),
  operatorToken: optional({
    kind: bearerToken,
    initially: message("setting.operatorToken.unset"),
    isSecret: true,
    text: message("setting.operatorToken"),
  }),
  metricsToken: optional({
    kind: bearerToken,
    initially: message("setting.metricsToken.unset"),
    isSecret: true,
    text: message("setting.metricsToken"),
  }),
  transport: setting({
    kind: oneOf(["node", "own"]),
    initial: "own",
    text: message("setting.transport"),
  }),
  egressProxy: optional({
    kind: proxyUrl,
    initially: message("setting.egressProxy.unset"),
    isSecret: true,
    text: message("setting.egressProxy"),
  }),
  upstreamProxies: optional({
    kind: upstreamProxies,
    initially: message("setting.upstreamProxies.unset"),
    isSecret: true,
    text: message("setting.upstreamProxies"),
  }),
  logLevel: setting({
    kind: oneOf(["debug", "info", "warn", "error", "silent"]),
    initial: "info",
    text: message("setting.logLevel"),
  }),
  logRequests: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    flag: "--log-requests <off|on>",
    text: message("setting.logRequests"),
  }),
  otlpEndpoint: optional({
    kind: collectorUrl,
    initially: message("setting.otlpEndpoint.unset"),
    alias: "OTEL_EXPORTER_OTLP_ENDPOINT",
    text: message("setting.otlpEndpoint"),
  }),
  otlpProtocol: setting({
    kind: oneOf(["http/json", "http/protobuf", "grpc"]),
    initial: "http/json",
    alias: "OTEL_EXPORTER_OTLP_PROTOCOL",
    text: message("setting.otlpProtocol"),
  }),
  otlpHeaders: optional({
    kind: headers,
    initially: message("setting.otlpHeaders.unset"),
    alias: "OTEL_EXPORTER_OTLP_HEADERS",
    isSecret: true,
    text: message("setting.otlpHeaders"),
  }),
  publicUrl: optional({
    kind: baseUrl,
    initially: message("setting.publicUrl.unset"),
    text: message("setting.publicUrl"),
  }),
  consoleListen: optional({
    kind: listenAddress,
    initially: message("setting.consoleListen.unset"),
    flag: "--console-listen <address:port>",
    text: message("setting.consoleListen"),
  }),
  healthListen: optional({
    kind: listenAddress,
    initially: message("setting.healthListen.unset"),
    flag: "--health-listen <address:port>",
    text: message("setting.healthListen"),
  }),
  healthStallMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "10s",
    text: message("setting.healthStallMs"),
  }),
  trustedProxies: setting({
    kind: networks,
    initial: "none",
    text: message("setting.trustedProxies"),
  }),
  oidcIssuer: optional({
    kind: issuerUrl,
    initially: message("setting.oidcIssuer.unset"),
    text: message("setting.oidcIssuer"),
  }),
  oidcClientId: optional({
    kind: line,
    initially: message("setting.oidcClientId.unset"),
    text: message("setting.oidcClientId"),
  }),
  oidcClientSecret: optional({
    kind: line,
    initially: message("setting.oidcClientSecret.unset"),
    isSecret: true,
    text: message("setting.oidcClientSecret"),
  }),
  oidcName: setting({
    kind: line,
    initial: "single sign-on",
    text: message("setting.oidcName"),
  }),
  oidcSignUp: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    text: message("setting.oidcSignUp"),
  }),
  corsOrigins: setting({
    kind: origins,
    initial: "*",
    text: message("setting.corsOrigins"),
  }),
  refusedCallsPerMinute: setting({
    kind: whole(60, 10_000_000),
    initial: "6000",
    text: message("setting.refusedCallsPerMinute"),
  }),
  apiWritesPerMinute: setting({
    kind: whole(1, 1_000_000),
    initial: "300",
    text: message("setting.apiWritesPerMinute"),
  }),
  bodyBytesMax: setting({
    kind: bytes(kib, gib),
    initial: "32MiB",
    text: message("setting.bodyBytesMax"),
  }),
  requestCompression: setting({
    kind: oneOf(["off", "on"]),
    initial: "on",
    text: message("setting.requestCompression"),
  }),
  jsonDepthMax: setting({
    kind: whole(8, 1_000),
    initial: "64",
    text: message("setting.jsonDepthMax"),
  }),
  jsonValuesMax: setting({
    kind: whole(1_000, 10_000_000),
    initial: "200000",
    text: message("setting.jsonValuesMax"),
  }),
  headersTimeoutMs: setting({
    kind: duration(100, 300_000),
    initial: "5s",
    text: message("setting.headersTimeoutMs"),
  }),
  bodyStallMs: setting({
    kind: duration(100, 300_000),
    initial: "5s",
    text: message("setting.bodyStallMs"),
  }),
  bodyRateMin: setting({
    kind: bytes(0, gib, "bytes per second"),
    initial: "1KiB",
    text: message("setting.bodyRateMin"),
  }),
  keepAliveTimeoutMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "75s",
    text: message("setting.keepAliveTimeoutMs"),
  }),
  connectionsMax: setting({
    kind: whole(1, 1_000_000),
    initial: "20000",
    text: message("setting.connectionsMax"),
  }),
  inFlightMax: setting({
    kind: whole(1, 1_000_000),
    initial: "10000",
    flag: "--max-in-flight <number>",
    text: message("setting.inFlightMax"),
  }),
  bodiesBytesMax: setting({
    kind: bytes(kib, 64 * gib),
    initial: "256MiB",
    text: message("setting.bodiesBytesMax"),
  }),
  loopLagMaxMs: setting({
    kind: duration(1, 60_000),
    initial: "10ms",
    text: message("setting.loopLagMaxMs"),
  }),
  heapPercentMax: setting({
    kind: whole(10, 95, "percent"),
    initial: "80",
    text: message("setting.heapPercentMax"),
  }),
  successPercentMin: setting({
    kind: whole(0, 100, "percent"),
    initial: "90",
    text: message("setting.successPercentMin"),
  }),
  keepAliveCommentMs: setting({
    kind: duration(1_000, 300_000),
    initial: "10s",
    text: message("setting.keepAliveCommentMs"),
  }),
  eventBytesMax: setting({
    kind: bytes(64 * kib, gib),
    initial: "8MiB",
    text: message("setting.eventBytesMax"),
  }),
  answerBytesMax: setting({
    kind: bytes(64 * kib, gib),
    initial: "64MiB",
    text: message("setting.answerBytesMax"),
  }),
  stalledReaderMs: setting({
    kind: duration(1_000, 3_600_000),
    initial: "60s",
    text: message("setting.stalledReaderMs"),
  }),
  idempotencyKeptMs: setting({
    kind: duration(60_000, 30 * dayMs),
    initial: "1d",
    text: message("setting.idempotencyKeptMs"),
  }),
  idempotencyBytesMax: setting({
    kind: bytes(kib, gib),
    initial: "8MiB",
    text: message("setting.idempotencyBytesMax"),
  }),
  shareReasoning: setting({
    kind: oneOf(["off", "on"]),
    initial: "on",
    text: message("setting.shareReasoning"),
  }),
  fetchMedia: setting({
    kind: oneOf(["off", "on"]),
    initial: "off",
    flag: "--fetch-media <off|on>",
    text: message("setting.fetchMedia"),
  }),
  fetchMediaAllow: setting({
    kind: openings,
    initial: "none",
    text: message("setting.fetchMediaAllow"),
  }),
  auditKeptMs: setting({
    kind: duration(dayMs, 36_500 * dayMs),
    initial: "400d",
    text: message("setting.auditKeptMs"),
  }),
  refusalsKeptMs: setting({
    kind: duration(dayMs, 36_500 * dayMs),
    initial: "90d",
    text: message("setting.refusalsKeptMs"),
  }),
  requestsKeptMs: optional({
    kind: duration(7 * dayMs, 36_500 * dayMs),
    initially: message("setting.requestsKeptMs.unset"),
    text: message("setting.requestsKeptMs"),
  }),
  requestsArchive: optional({
    kind: path,
    initially: message("setting.requestsArchive.unset"),
    text: message("setting.requestsArchive"),
  }),
  archiveFormat: setting({
    kind: oneOf(["csv", "parquet"]),
    initial: "csv",
    text: message("setting.archiveFormat"),
  }),
  responsesKeptMs: setting({
    kind: duration(0, responsesKeptMaxMs),
    initial: "24h",
    text: message("setting.responsesKeptMs"),
  }),
  lameDuckMs: setting({
    kind: duration(0, 3_600_000),
    initial: "5s",
    text: message("setting.lameDuckMs"),
  }),
  drainMs: setting({
    kind: duration(0, dayMs),
    initial: "30s",
    text: message("setting.drainMs"),
  }),
} as const satisfies Record<string, Setting>;

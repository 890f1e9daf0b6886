/** Creates the observers of requests (metrics, traces, request log) from the settings. */

import type { Log } from "../../lib/telemetry/log.ts";
import type { Registry } from "../../lib/telemetry/metrics.ts";
import type { SpanExporter } from "../../lib/telemetry/otlp.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { type CollectorOptions, createCollector } from "./collector.ts";
import { createObserve } from "./observe.ts";
import { type ObserveSources, observeProcess } from "./process.ts";
import type { Watchers } from "./settled.ts";
import { createTracer } from "./trace.ts";

export interface WatchersOptions {
  readonly registry: Registry;
  readonly log: Log;
  readonly clock: Clock;
  readonly version: string;
  readonly settings: {
    readonly logRequests: "on" | "off";
    readonly otlpEndpoint: string | undefined;
    readonly otlpProtocol: CollectorOptions["protocol"];
    readonly otlpHeaders: readonly string[] | undefined;
  };
  /** Sources of metrics that are read on demand. */
  readonly sources: Omit<ObserveSources, "version" | "startedAtMs" | "spansDropped">;
}

/** Returns the observers, and the collector to close when the process stops. */
export function createWatchers(options: WatchersOptions): Watchers & { collector: SpanExporter | undefined } {
  const { registry, log, clock, version, settings, sources } = options;
  const { otlpEndpoint: endpoint, otlpProtocol: protocol, otlpHeaders = [] } = settings;
  const collector =
    endpoint === undefined
      ? undefined
      : createCollector({ endpoint, protocol, headers: otlpHeaders, version, log });
  observeProcess(registry, {
    ...sources,
    version,
    startedAtMs: clock.wallMs() - process.uptime() * 1_000,
    spansDropped: collector === undefined ? undefined : () => collector.dropped,
  });
  return {
    observe: createObserve(registry),
    tracer: collector === undefined ? undefined : createTracer(collector),
    requestLog: settings.logRequests === "on" ? log : undefined,
    collector,
  };
}

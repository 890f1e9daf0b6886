/**
 * Sends traces to a collector through a queue, and logs when the collector stops and resumes accepting spans.
 * Used only when a collector is configured.
 */
import { createHttpClient } from "../../lib/net/http-client.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { createSpanExporter, type SpanExporter } from "../../lib/telemetry/otlp.ts";
import { sendOverHttp, tracesUrl } from "../../lib/telemetry/otlp-http.ts";

export interface CollectorOptions {
  /** http or https URL of the collector. */
  readonly endpoint: string;
  /** Flat list: name, value, name, value, … */
  readonly headers: readonly string[];
  readonly version: string;
  readonly log: Log;
}

const connectMs = 5_000;
const timeoutMs = 10_000;

/** Time limit for the last batch when the process stops, in milliseconds. */
const lastBatchMs = 2_000;

export function createCollector({ endpoint, headers, version, log }: CollectorOptions): SpanExporter {
  const url = tracesUrl(endpoint);
  const client = createHttpClient(url.origin, connectMs);
  const target = { client, path: `${url.pathname}${url.search}`, headers, timeoutMs };
  let isClosing = false;
  const exporter = createSpanExporter({
    send: (body) => sendOverHttp(isClosing ? { ...target, timeoutMs: lastBatchMs } : target, body),
    resource: { "service.name": "plaza", "service.version": version, "process.pid": process.pid },
    scope: { name: "plaza", version },
    onState(isFailing) {
      if (isFailing) log.warn("traces_not_taken", { collector: url.host, dropped: exporter.dropped });
      else log.info("traces_taken_again", { collector: url.host, dropped: exporter.dropped });
    },
  });
  return {
    add: exporter.add,
    get dropped() {
      return exporter.dropped;
    },
    async close() {
      isClosing = true;
      await exporter.close();
      await client.close();
    },
  };
}

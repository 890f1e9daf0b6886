/**
 * Exports trace spans to an OpenTelemetry collector: a bounded queue, sent in batches; spans that do not fit
 * are dropped and counted. Adding a span never blocks. Knows no project words, no encoding and no network:
 * `send` is a parameter.
 */

export type AttributeValue = string | number | boolean;

/** Undefined values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/**
 * A finished span. Ids are lower-case hex: 32 digits for the trace, 16 for a span. Times are Unix
 * milliseconds.
 */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: "server" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly hasFailed: boolean;
}

/** Longest name or value of an attribute that is sent, in characters. */
export const valueLengthMax = 500;

/** The result for a batch: accepted, retry later, or rejected for good. */
export type Sent = "taken" | "later" | "never";

export interface SpanExporter {
  /** Adds a span, or counts it as dropped when the queue is full. */
  add(span: Span): void;
  /** Spans lost so far. */
  readonly dropped: number;
  /** Sends what is left, once, then stops. Never rejects. */
  close(): Promise<void>;
}

/** Where all spans of an exporter come from. */
export interface SpanSource {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

export interface SpanExporterOptions {
  /** Must not reject, and must have a time limit. */
  readonly send: (spans: readonly Span[]) => Promise<Sent>;
  /** Called when sending starts to fail, and when it works again. */
  readonly onState: (isFailing: boolean) => void;
  readonly queueMax?: number;
  readonly batchMax?: number;
  /** Milliseconds the first span of a batch waits for others. */
  readonly waitMs?: number;
}

/** Longest pause between attempts while the collector accepts nothing. */
const pauseMaxMs = 30_000;

export function createSpanExporter(options: SpanExporterOptions): SpanExporter {
  const { queueMax = 4_096, batchMax = 256, waitMs = 1_000 } = options;
  const queue: Span[] = [];
  let dropped = 0;
  let pauseMs = waitMs;
  let isFailing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  function plan(afterMs: number): void {
    if (isClosed || timer !== undefined || sending !== undefined || queue.length === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      void send();
    }, afterMs).unref();
  }

  function noteState(hasFailed: boolean): void {
    if (hasFailed !== isFailing) options.onState(hasFailed);
    isFailing = hasFailed;
    pauseMs = hasFailed ? Math.min(pauseMs * 2, pauseMaxMs) : waitMs;
  }

  /**
   * Sends one batch. It stays in the queue until the collector accepts it, so the queue's limit covers
   * everything.
   */
  async function sendBatch(): Promise<void> {
    const batch = queue.slice(0, batchMax);
    const sent = await options.send(batch);
    if (sent !== "later") queue.splice(0, batch.length);
    if (sent === "never") dropped += batch.length;
    noteState(sent !== "taken");
  }

  function send(): Promise<void> {
    sending ??= sendBatch().finally(() => {
      sending = undefined;
      plan(isFailing ? pauseMs : queue.length >= batchMax ? 0 : waitMs);
    });
    return sending;
  }

  return {
    add(span) {
      if (queue.length >= queueMax || isClosed) {
        dropped += 1;
        return;
      }
      queue.push(span);
      // A full batch is sent at once, unless the collector accepts nothing.
      if (queue.length === batchMax && !isFailing) {
        clearTimeout(timer);
        timer = undefined;
        plan(0);
      } else {
        plan(isFailing ? pauseMs : waitMs);
      }
    },
    get dropped() {
      return dropped;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await sending;
      if (queue.length > 0) await sendBatch();
      dropped += queue.length;
      queue.length = 0;
    },
  };
}

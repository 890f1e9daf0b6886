/**
 * Tells the gateway how to read OpenAI's embeddings answers. There are no streams, and no output is counted.
 */
import { noDelivery } from "../../domain/money/estimate.ts";
import { createJsonScannerFactory } from "../../lib/json/scan.ts";
import type { JsonScanner } from "../../lib/json/scan-shapes.ts";
import { atOnce } from "../../lib/time/slices.ts";
import type { StreamEvent, StreamReader, WireProtocol } from "../wire-protocol.ts";
import { readAnswer } from "./decode-answer.ts";
import { readUsage } from "./usage.ts";

/**
 * Scans one answer's bytes as they arrive (64 KiB in a third of a millisecond): whether they are JSON, and
 * how many numbers each vector has (`data`, entry, `embedding`: the fourth container). Scanning 100 MB at
 * once would block the process for a third of a second.
 */
export const createAnswerScanner: () => JsonScanner = createJsonScannerFactory(["data"], {
  depthMax: 64,
  valuesMax: 100_000_000,
  listDepth: 4,
});

const noStream: StreamEvent = {
  kind: "error",
  usage: undefined,
  hasContent: false,
  isUsageOnly: false,
  parsed: undefined,
};

const streamReader: StreamReader = {
  delivered: noDelivery,
  isPlain: () => false,
  countPlain() {},
  read: () => noStream,
  count() {},
};

export const openaiEmbeddings: WireProtocol = {
  streamMarks: [],
  idPrefix: "embd-",
  readStream: () => streamReader,
  readWhole(body) {
    const answer = atOnce(readAnswer(body));
    return answer === undefined ? undefined : { usage: answer.usage, content: { start: 0, end: 0 } };
  },
  contentBytes: () => 0,
  readUsage,
  withoutUsage: (events) => events,
  addressesOf: () => [],
};

/**
 * Tells the gateway how to read OpenAI's embeddings answers. There are no streams, and no output is counted.
 */
import { createJsonScannerFactory } from "../../lib/json/scan.ts";
import type { JsonScanner } from "../../lib/json/scan-shapes.ts";
import { atOnce } from "../../lib/time/slices.ts";
import type { WireProtocol } from "../wire-protocol.ts";
import { withoutStreams } from "../without-streams.ts";
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

export const openaiEmbeddings: WireProtocol = {
  ...withoutStreams,
  idPrefix: "embd-",
  readWhole(body) {
    const answer = atOnce(readAnswer(body));
    return answer === undefined ? undefined : { usage: answer.usage, content: { start: 0, end: 0 } };
  },
  readUsage,
};

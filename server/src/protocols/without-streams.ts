/**
 * What a wire format whose answers always come whole, and hold no text of a model, has in place of streams:
 * embeddings, rankings. Spread it into its `WireProtocol`.
 */
import { noDelivery } from "../domain/money/estimate.ts";
import { noContent } from "./content-size.ts";
import type { StreamEvent, StreamReader, WireProtocol } from "./wire-protocol.ts";

const noEvent: StreamEvent = {
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
  read: () => noEvent,
  count() {},
};

/** Every event of a stream is an error; no bytes count as output; no files are named by address. */
export const withoutStreams = {
  streamMarks: [],
  readStream: () => streamReader,
  contentSize: () => noContent,
  withoutUsage: (events) => events,
  addressesOf: () => [],
} as const satisfies Partial<WireProtocol>;

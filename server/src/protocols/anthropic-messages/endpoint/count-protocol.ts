/**
 * Tells the gateway how a request to count tokens is read and its answer written
 * (docs/wire/anthropic-messages.md section 14). A count has no content and no usage.
 */
import { noUsage } from "@plaza/contract/usage.ts";
import { addressesOf } from "../../../conversation/media.ts";
import type { CallerFormat } from "../../format.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { countBody, createCountReader, readCount } from "./count-tokens.ts";
import { messagesErrors } from "./errors.ts";

const read = createCountReader();

function never(): never {
  throw new Error("a count is no answer of a model");
}

const format: CallerFormat = {
  id: "anthropic-messages",
  decode: ({ body }) => read(body).conversation,
  translation: never,
};

export const messagesCount: WireProtocol = {
  format,
  streamMarks: [],
  idPrefix: "",
  errors: messagesErrors,
  writeCount: countBody,
  readStream: never,
  readWhole: (body) =>
    readCount(body) === undefined ? undefined : { usage: {}, content: { start: 0, end: 0 } },
  contentBytes: () => 0,
  readUsage: () => noUsage,
  withoutUsage: (events) => events,
  addressesOf: (request) => addressesOf(format.decode(request)),
};

/**
 * Tells the gateway how a request to count tokens is read and its answer written
 * (docs/wire/anthropic-messages.md section 14). A count has no content and no usage.
 */
import { addressesOf } from "../../../conversation/media.ts";
import { countAnswers } from "../../counting.ts";
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
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: never,
};

export const messagesCount: WireProtocol = {
  ...countAnswers(readCount),
  format,
  idPrefix: "",
  errors: messagesErrors,
  writeCount: countBody,
  addressesOf: (request) => addressesOf(format.decode(request)),
};

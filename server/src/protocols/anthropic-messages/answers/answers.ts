/** Tells the gateway how to read answers in Anthropic's Messages format. */

import { addressesOf } from "../../../conversation/media.ts";
import type { CallerFormat } from "../../format.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { createRequestReader } from "../decode-request.ts";
import { messagesErrors } from "../endpoint/errors.ts";
import { messagesTranslation } from "../translation.ts";
import { readUsage } from "../usage.ts";
import { MessagesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

/** The encoder and the answer's writer ask for the same body: it is parsed once. */
const read = createRequestReader();

/** Messages as a format that callers speak. */
export const messagesFormat: CallerFormat = {
  id: "anthropic-messages",
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: (decoder) => messagesTranslation(decoder, { read }),
};

export const anthropicMessages: WireProtocol = {
  format: messagesFormat,
  streamMarks,
  idPrefix: "msg_",
  errors: messagesErrors,
  keepAlive: Buffer.from('event: ping\ndata: {"type": "ping"}\n\n'),
  readStream: () => new MessagesStreamReader(),
  readWhole,
  contentSize,
  readUsage,
  // Usage is part of events with other content, so it is never removed.
  withoutUsage: (events) => events,
  addressesOf: (request) => addressesOf(messagesFormat.decode(request)),
};

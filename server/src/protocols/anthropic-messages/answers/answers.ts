/** Tells the gateway how to read answers in Anthropic's Messages format. */
import { addressesOf } from "../../../conversation/media.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { messagesErrors } from "../endpoint/errors.ts";
import { readUsage } from "../usage.ts";
import { messagesFormat } from "./caller-format.ts";
import { MessagesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

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

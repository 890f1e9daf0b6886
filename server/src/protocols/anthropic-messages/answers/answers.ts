/** Tells the gateway how to read answers in Anthropic's Messages format. */
import { addressesOf } from "../../../conversation/media.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { readUsage } from "../usage.ts";
import { MessagesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentBytes, readWhole } from "./whole-answer.ts";

export const anthropicMessages: WireProtocol = {
  streamMarks,
  idPrefix: "msg_",
  readStream: () => new MessagesStreamReader(),
  readWhole,
  contentBytes,
  readUsage,
  // Usage is part of events with other content, so it is never removed.
  withoutUsage: (events) => events,
  addressesOf: ({ body }) => addressesOf(decodeRequest(body)),
};

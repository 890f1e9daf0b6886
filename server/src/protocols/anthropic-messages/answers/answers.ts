/** Anthropic's messages as callers get them: how the gateway reads answers of this format. */
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
  // Usage stands in events that say more, for every caller.
  withoutUsage: (events) => events,
  addressesOf: ({ body }) => addressesOf(decodeRequest(body)),
};

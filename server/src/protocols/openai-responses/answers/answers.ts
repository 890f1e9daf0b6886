/** OpenAI's Responses as callers get them: how the gateway reads answers of this format. */
import { addressesOf } from "../../../conversation/media.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { readUsage } from "../usage.ts";
import { ResponsesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentBytes, readWhole } from "./whole-answer.ts";

export const openaiResponses: WireProtocol = {
  streamMarks,
  idPrefix: "resp_",
  readStream: () => new ResponsesStreamReader(),
  readWhole,
  contentBytes,
  readUsage,
  // Usage stands in the terminal event, for every caller.
  withoutUsage: (events) => events,
  addressesOf: ({ body }) => addressesOf(decodeRequest(body)),
};

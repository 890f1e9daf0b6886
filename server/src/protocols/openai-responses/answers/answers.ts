/** Tells the gateway how to read answers in OpenAI's Responses format. */
import { addressesOf } from "../../../conversation/media.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { errorBody } from "../errors.ts";
import { readUsage } from "../usage.ts";
import { responsesFormat } from "./caller-format.ts";
import { ResponsesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

export const openaiResponses: WireProtocol = {
  format: responsesFormat,
  streamMarks,
  idPrefix: "resp_",
  errors: { body: errorBody },
  // The first two events repeat the whole request.
  heldBytesMax: (bodyBytes) => 2 * bodyBytes + 256 * 1024,
  readStream: () => new ResponsesStreamReader(),
  readWhole,
  contentSize,
  readUsage,
  // Usage is in the terminal event, for every caller.
  withoutUsage: (events) => events,
  addressesOf: (request) => addressesOf(responsesFormat.decode(request)),
};

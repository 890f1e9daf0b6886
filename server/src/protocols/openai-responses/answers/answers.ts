/** Tells the gateway how to read answers in OpenAI's Responses format. */

import { addressesOf } from "../../../conversation/media.ts";
import type { CallerFormat } from "../../format.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { createRequestReader } from "../decode-request.ts";
import { errorBody } from "../errors.ts";
import { responsesTranslation } from "../translation.ts";
import { readUsage } from "../usage.ts";
import { ResponsesStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

/** The encoder and the answer's writer ask for the same body: it is parsed once. */
const read = createRequestReader();

/** Responses as a format that callers speak. */
export const responsesFormat: CallerFormat = {
  id: "openai-responses",
  decode: ({ body, seal }) => read(body, seal).conversation,
  translation: (decoder) => responsesTranslation(decoder, { read }),
};

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

/** The same for an answer that is not to be stored. */
export const openaiResponsesUnstored: WireProtocol = {
  ...openaiResponses,
  readStream: () => new ResponsesStreamReader(false),
};

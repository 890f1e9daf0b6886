/** Tells the gateway how to read answers in OpenAI's chat completions format. */

import { addressesOf } from "../../../conversation/media.ts";
import type { CallerFormat } from "../../format.ts";
import type { WireProtocol } from "../../wire-protocol.ts";
import { decodeRequest } from "../decode-request.ts";
import { chatTranslation } from "../translation.ts";
import { readUsage } from "../usage.ts";
import { withoutNullUsage } from "./null-usage.ts";
import { ChatStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

/** Chat completions as a format that callers speak. */
export const chatFormat: CallerFormat = {
  id: "openai-chat",
  decode: ({ body }) => decodeRequest(body),
  translation: chatTranslation,
};

export const openaiChat: WireProtocol = {
  format: chatFormat,
  streamMarks,
  idPrefix: "chatcmpl-",
  readStream: () => new ChatStreamReader(),
  readWhole,
  contentSize,
  readUsage,
  withoutUsage: withoutNullUsage,
  addressesOf: (request) => addressesOf(chatFormat.decode(request)),
};

/** Tells the gateway how to read answers in OpenAI's chat completions format. */
import type { WireProtocol } from "../../wire-protocol.ts";
import { addressesOf } from "../addresses.ts";
import { readUsage } from "../usage.ts";
import { chatFormat } from "./caller-format.ts";
import { withoutNullUsage } from "./null-usage.ts";
import { ChatStreamReader, streamMarks } from "./stream-reader.ts";
import { contentSize, readWhole } from "./whole-answer.ts";

export const openaiChat: WireProtocol = {
  format: chatFormat,
  streamMarks,
  idPrefix: "chatcmpl-",
  readStream: () => new ChatStreamReader(),
  readWhole,
  contentSize,
  readUsage,
  withoutUsage: withoutNullUsage,
  addressesOf,
};

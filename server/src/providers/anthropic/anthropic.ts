/**
 * Anthropic's Messages protocol, spoken by Anthropic and by servers compatible with it. Everything is translated; it must not know
 * the gateway.
 */
import { faultOfMessages } from "../../protocols/anthropic-messages/fault.ts";
import { translateStream } from "../../protocols/anthropic-messages/stream.ts";
import { translateWhole } from "../../protocols/anthropic-messages/whole.ts";
import type { HttpProvider } from "../provider.ts";
import { encodeCall, encodeProbe } from "./call.ts";

export const anthropic = {
  id: "anthropic",
  transport: "http",
  translation: { streamType: "text/event-stream", stream: translateStream, whole: translateWhole },
  encode: encodeCall,
  probe: encodeProbe,
  fault: faultOfMessages,
  // Of our own answers, which are OpenAI's wire by then.
} as const satisfies HttpProvider;

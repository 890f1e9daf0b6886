/**
 * Anthropic's Messages protocol, spoken by Anthropic and by servers compatible with it. Everything is translated; it must not know
 * the gateway.
 */
import { encodeCall } from "./anthropic/encode.ts";
import { faultOfMessages } from "./anthropic/fault.ts";
import { encodeProbe } from "./anthropic/probe.ts";
import { translateStream } from "./anthropic/stream.ts";
import { translateWhole } from "./anthropic/whole.ts";
import { readUsage } from "./openai/usage.ts";
import type { HttpProvider } from "./provider.ts";

export const anthropic = {
  id: "anthropic",
  transport: "http",
  translation: { streamType: "text/event-stream", stream: translateStream, whole: translateWhole },
  encode: encodeCall,
  probe: encodeProbe,
  fault: faultOfMessages,
  // Of our own answers, which are OpenAI's wire by then.
  usage: readUsage,
} as const satisfies HttpProvider;

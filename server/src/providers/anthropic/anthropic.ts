/**
 * The provider `anthropic`: Anthropic's Messages protocol, for Anthropic and compatible servers. Requests and
 * answers are translated. Must not import the gateway.
 */
import { messagesDecoder } from "../../protocols/anthropic-messages/decode-answer.ts";
import { faultOfMessages } from "../../protocols/anthropic-messages/fault.ts";
import { messagesPayloads } from "../../protocols/payloads/marks.ts";
import type { HttpProvider } from "../provider.ts";
import { encodeCall, encodeProbe } from "./call.ts";
import { messagesCounter } from "./count-tokens.ts";
import { passingMessages } from "./passing-messages.ts";

export const anthropic = {
  id: "anthropic",
  transport: "http",
  formats: [
    {
      format: "anthropic-messages",
      decoder: messagesDecoder(),
      encode: encodeCall,
      passing: passingMessages,
      counter: messagesCounter,
      mayPass: (body) => !messagesPayloads.isIn(body),
    },
  ],
  probe: encodeProbe,
  fault: faultOfMessages,
} as const satisfies HttpProvider;

/**
 * OpenAI's chat protocol, spoken by OpenAI itself and by every upstream compatible with it: bytes pass through, only named
 * spans are edited. It must not know the gateway.
 */
import { encodeChat } from "./openai/encode.ts";
import { faultOfAnswer } from "./openai/fault.ts";
import { encodeProbe } from "./openai/probe.ts";
import { readUsage } from "./openai/usage.ts";
import type { HttpProvider } from "./provider.ts";

export const openai = {
  id: "openai",
  transport: "http",
  encode: encodeChat,
  probe: encodeProbe,
  fault: faultOfAnswer,
  usage: readUsage,
} as const satisfies HttpProvider;

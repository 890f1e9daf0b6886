/**
 * OpenAI's chat protocol, spoken by OpenAI itself and by every upstream compatible with it: bytes pass through, only named
 * spans are edited. Services known by name (`preset`) get what they do their own way on top. It must not know the gateway.
 */
import { deviations } from "./openai/deviations.ts";
import { encodeChat } from "./openai/encode.ts";
import { faultOfAnswer } from "./openai/fault.ts";
import { encodeProbe } from "./openai/probe.ts";
import { readUsage } from "./openai/usage.ts";
import { createVariant } from "./openai/variant.ts";
import type { HttpProvider } from "./provider.ts";

export const openai: HttpProvider = {
  id: "openai",
  transport: "http",
  encode: encodeChat,
  probe: encodeProbe,
  fault: faultOfAnswer,
  usage: readUsage,
  forUpstream({ preset }) {
    const known = preset !== undefined && Object.hasOwn(deviations, preset) ? deviations[preset] : undefined;
    return known === undefined ? openai : createVariant(openai, known);
  },
};

/**
 * OpenAI's chat protocol, spoken by OpenAI itself and by every upstream compatible with it: bytes pass
 * through, only named spans are edited. Services known by name (`preset`) get what they do their own way
 * on top. It must not know the gateway.
 */

import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import type { HttpProvider } from "../provider.ts";
import { deviations } from "./deviations.ts";
import { encodeChat } from "./encode.ts";
import { encodeProbe } from "./probe.ts";
import { createVariant } from "./variant.ts";

export const openai: HttpProvider = {
  id: "openai",
  transport: "http",
  codecs: { chat: { encode: encodeChat } },
  probe: encodeProbe,
  fault: faultOfAnswer,
  forUpstream({ preset }) {
    const known = preset !== undefined && Object.hasOwn(deviations, preset) ? deviations[preset] : undefined;
    return known === undefined ? openai : createVariant(openai, known);
  },
};

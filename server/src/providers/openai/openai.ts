/**
 * The provider `openai`: OpenAI's chat protocol, for OpenAI and every compatible upstream. Bytes pass
 * through; only named spans are edited. Services with a `preset` also get that service's deviations. Must not
 * import the gateway.
 */

import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import type { HttpProvider } from "../provider.ts";
import { deviationsOf } from "./deviations.ts";
import { encodeProbe } from "./probe.ts";
import { formatNeeded } from "./responses/responses-models.ts";
import { responsesAt } from "./responses/speak-responses.ts";
import { plainChat, speakChat } from "./speak-chat.ts";
import { createVariant } from "./variant.ts";

export const openai: HttpProvider = {
  id: "openai",
  transport: "http",
  formats: [speakChat(plainChat)],
  formatNeeded,
  probe: encodeProbe,
  fault: faultOfAnswer,
  forUpstream(upstream) {
    const known = deviationsOf(upstream.preset);
    const chat = known === undefined ? openai.formats : createVariant(openai, known).formats;
    return { ...openai, formats: [...chat, responsesAt(upstream)] };
  },
};

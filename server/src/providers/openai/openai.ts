/**
 * The provider `openai`: OpenAI's chat protocol, for OpenAI and every compatible upstream. Bytes pass
 * through; only named spans are edited. Services with a `preset` also get that service's deviations. Must not
 * import the gateway.
 */

import type { Upstream } from "@plaza/contract/catalog.ts";
import { faultOfAnswer } from "../../protocols/faults/fault.ts";
import { readHeaders } from "../call-headers.ts";
import type { HttpProvider, ProbeCall } from "../provider.ts";
import { deviationsOf } from "./deviations.ts";
import { formatNeeded } from "./responses/responses-models.ts";
import { responsesAt } from "./responses/speak-responses.ts";
import { plainChat, speakChat } from "./speak-chat.ts";
import { createVariant } from "./variant.ts";

/**
 * Lists the models, to check that an upstream answers and accepts a credential. Uses no tokens. Servers
 * without a list answer 404, which still shows that they are reachable. `credential` may be empty.
 */
function encodeProbe(upstream: Upstream, credential: string): ProbeCall {
  const { pathname, search } = new URL(upstream.baseUrl);
  const headers = readHeaders();
  if (credential !== "") headers.push("authorization", `Bearer ${credential}`);
  return { path: `${pathname.replace(/\/$/, "")}/models${search}`, headers };
}

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

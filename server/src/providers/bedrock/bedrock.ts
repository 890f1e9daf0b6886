/**
 * Amazon Bedrock: Converse and ConverseStream, with a Bedrock API key or signed with AWS keys.
 * Everything it needs of AWS's own packages is loaded with this file, so only where an upstream
 * names it. It must not know the gateway.
 */

import { converseDecoder } from "../../protocols/bedrock-converse/decode-answer.ts";
import { faultOfAnswer } from "../../protocols/bedrock-converse/fault.ts";
import { chatTranslation } from "../../protocols/openai-chat/translation.ts";
import type { HttpProvider } from "../provider.ts";
import { encodeCall } from "./call.ts";
import { signCall } from "./sign.ts";

export const bedrock = {
  id: "bedrock",
  transport: "http",
  codecs: {
    chat: { inlinesMedia: true, translation: chatTranslation(converseDecoder), encode: encodeCall },
  },
  sign: signCall,
  fault: faultOfAnswer,
} as const satisfies HttpProvider;

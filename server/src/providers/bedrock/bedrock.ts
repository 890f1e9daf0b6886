/**
 * Amazon Bedrock: Converse and ConverseStream, with a Bedrock API key or signed with AWS keys. Everything it needs of AWS's own
 * packages is loaded with this file, so only where an upstream names it. It must not know the gateway.
 */

import { ConverseStream, translateWhole } from "../../protocols/bedrock-converse/answer.ts";
import { faultOfAnswer } from "../../protocols/bedrock-converse/fault.ts";
import type { HttpProvider } from "../provider.ts";
import { encodeCall, streamType } from "./call.ts";
import { signCall } from "./sign.ts";

export const bedrock = {
  id: "bedrock",
  transport: "http",
  inlinesMedia: true,
  translation: {
    streamType,
    stream: (context) => new ConverseStream(context),
    whole: translateWhole,
  },
  encode: encodeCall,
  sign: signCall,
  fault: faultOfAnswer,
} as const satisfies HttpProvider;

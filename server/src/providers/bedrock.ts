/**
 * Amazon Bedrock: Converse and ConverseStream, with a Bedrock API key or signed with AWS keys. Everything it needs of AWS's own
 * packages is loaded with this file, so only where an upstream names it. It must not know the gateway.
 */

import { ConverseStream, translateWhole } from "./bedrock/answer.ts";
import { encodeConverse } from "./bedrock/encode.ts";
import { faultOfAnswer } from "./bedrock/fault.ts";
import { signCall } from "./bedrock/sign.ts";
import { readUsage } from "./openai/usage.ts";
import type { HttpProvider } from "./provider.ts";

export const bedrock = {
  id: "bedrock",
  transport: "http",
  inlinesMedia: true,
  translation: {
    streamType: "application/vnd.amazon.eventstream",
    stream: (context) => new ConverseStream(context),
    whole: translateWhole,
  },
  encode: encodeConverse,
  sign: signCall,
  fault: faultOfAnswer,
  usage: readUsage,
} as const satisfies HttpProvider;

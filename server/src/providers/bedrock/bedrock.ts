/**
 * The provider `bedrock`: Amazon Bedrock's Converse and ConverseStream, with a Bedrock API key or signed with
 * AWS keys. Loading this file loads the AWS packages, so it is loaded only when an upstream uses it. Must not
 * import the gateway.
 */

import { converseDecoder } from "../../protocols/bedrock-converse/decode-answer.ts";
import { faultOfAnswer } from "../../protocols/bedrock-converse/fault.ts";
import type { HttpProvider } from "../provider.ts";
import { regionOf } from "./address.ts";
import { encodeCall } from "./call.ts";
import { signCall } from "./sign.ts";

export const bedrock = {
  id: "bedrock",
  transport: "http",
  formats: [{ format: "bedrock-converse", decoder: converseDecoder, inlinesMedia: true, encode: encodeCall }],
  // A credential is sent as it is, or signs: only the machine's identity has to be asked for first.
  tokens: {
    identity: (upstream) => ({ cloud: "aws", region: regionOf(upstream) }),
    call: () => undefined,
    read: () => undefined,
  },
  sign: signCall,
  fault: faultOfAnswer,
} as const satisfies HttpProvider;

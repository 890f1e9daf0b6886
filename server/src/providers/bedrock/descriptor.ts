/** Descriptor of the provider `bedrock` (Amazon Bedrock), readable without loading its code. */
import { message } from "@plaza/contract/messages/message.ts";
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";
import { anthropicMedia } from "../media-rules.ts";

export const bedrockDescriptor: ProviderDescriptor = {
  id: "bedrock",
  transport: "http",
  mediaRule: anthropicMedia,
  needs: {
    baseUrl: true,
    credentials: true,
    identity: true,
    options: {
      [allowOption]: allowRule,
      region: {
        help: message("provider.awsRegion"),
        pattern: /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/,
      },
      guardrail: {
        help: message("provider.guardrail"),
        pattern: /^[\w:/-]{1,2048}$/,
      },
      guardrailVersion: {
        help: message("provider.guardrailVersion"),
        pattern: /^(?:\d{1,8}|DRAFT)$/,
      },
    },
    headers: {
      credential: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"],
    },
  },
  pricedAt: [{ host: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/, catalog: "bedrock" }],
  secrets: [
    {
      name: "an AWS access key id",
      sample: "AKIACANARYEXAMPLE123",
      pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA|ANPA|AGPA)[A-Z0-9*]{4,}/g,
      before: "beginnings",
    },
    { name: "a temporary AWS access key id", sample: "ASIACANARYEXAMPLE456" },
    { name: "an AWS secret key", sample: "cAnArY7MDENG/bPxRfiCYzEXAMPLEKEYwJalr+4tU" },
    {
      name: "a Bedrock API key",
      sample: "ABSKQ0FOQVJZa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTu=",
      start: "ABSK|bedrock-api-key-",
    },
    {
      name: "an AWS ARN",
      sample: "arn:aws:bedrock:us-east-1:123456789012:inference-profile/canary",
      pattern: /\barn:[\w-]{1,20}:\S+/gi,
      before: "keys",
    },
    { name: "an AWS account id", sample: "210987654321" },
    {
      name: "a signature of AWS",
      sample: "AWS4-HMAC-SHA256 Credential=CANARYEXAMPLE/20261121/us-east-1/bedrock/aws4_request",
      pattern: /\bAWS4-HMAC-SHA256\b[^"}]*/g,
      before: "names",
    },
  ],
  service: {
    name: "Amazon Bedrock",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlForms: ["https://bedrock-runtime.{region}.amazonaws.com"],
    origin: { source: "@aws-sdk/client-bedrock-runtime@3.1162.0", date: "2026-11-22" },
  },
  lacks: ["files by address"],
  formats: ["bedrock-converse"],
  docs: { speaks: "Converse and ConverseStream, with signed calls or an API key", page: "bedrock.md" },
  load: async () => (await import("./bedrock.ts")).bedrock,
};

/** What is known of the provider `bedrock` without loading it: Amazon Bedrock. */
import { allowOption, allowRule } from "../charged-apart.ts";
import type { ProviderDescriptor } from "../descriptor.ts";

export const bedrockDescriptor: ProviderDescriptor = {
  id: "bedrock",
  transport: "http",
  needs: {
    baseUrl: true,
    credentials: true,
    options: {
      [allowOption]: allowRule,
      region: {
        help: "the AWS region calls are signed for; where it is absent the host's name tells",
        pattern: /^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/,
      },
      guardrail: {
        help: "id or ARN of a guardrail every call goes through",
        pattern: /^[\w:/-]{1,2048}$/,
      },
      guardrailVersion: {
        help: "version of the guardrail, DRAFT where it is absent",
        pattern: /^(?:\d{1,8}|DRAFT)$/,
      },
    },
  },
  pricedAt: [{ host: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/, catalog: "bedrock" }],
  service: {
    name: "Amazon Bedrock",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlForms: ["https://bedrock-runtime.{region}.amazonaws.com"],
    origin: { source: "@aws-sdk/client-bedrock-runtime@3.1162.0", date: "2026-11-22" },
  },
  lacks: ["files by address"],
  load: async () => (await import("./bedrock.ts")).bedrock,
};
